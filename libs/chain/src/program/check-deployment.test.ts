import { MINT_SIZE, MintLayout, TOKEN_PROGRAM_ID } from '@solana/spl-token';
import { AppError } from '@agent-wallet/errors';
import { Keypair } from '@solana/web3.js';
import { expect, test } from 'vitest';
import type { AccountSnapshot } from '../rpc/read/chain-reads.ts';
import { checkDeployment } from './check-deployment.ts';
import type { Rpc } from '../rpc/rpc.ts';

const programId = Keypair.generate().publicKey.toBase58();
const usdcMint = Keypair.generate().publicKey.toBase58();
const LOADER = 'BPFLoaderUpgradeab1e11111111111111111111111';
const TOKENS = TOKEN_PROGRAM_ID.toBase58();
const TOKENS_2022 = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';

const account = (owner: string, data: Uint8Array): AccountSnapshot => ({
  address: 'the requested address',
  owner,
  lamports: 1n,
  data,
});
const program = account(LOADER, new Uint8Array(36));

function mint({ owner = TOKENS, decimals = 6, isInitialized = true }): AccountSnapshot {
  const data = new Uint8Array(MINT_SIZE);
  const nobody = Keypair.generate().publicKey;
  MintLayout.encode(
    {
      mintAuthorityOption: 0,
      mintAuthority: nobody,
      supply: 0n,
      decimals,
      isInitialized,
      freezeAuthorityOption: 0,
      freezeAuthority: nobody,
    },
    data,
  );
  return account(owner, data);
}

type Accounts = readonly (AccountSnapshot | null)[];

const rpcWith = (accounts: Accounts): Pick<Rpc, 'accounts'> => ({
  accounts: async (addresses) => {
    expect(addresses).toEqual([programId, usdcMint]);
    return { slot: 1n, accounts };
  },
});

test('a program and a mint of six decimals pass', async () => {
  const check = checkDeployment(rpcWith([program, mint({})]), { programId, usdcMint });
  await expect(check).resolves.toBeUndefined();
});

test.each<[string, RegExp, Accounts]>([
  ['a program that is not there', /PROGRAM_ID/, [null, mint({})]],
  ['an account that is no program', /PROGRAM_ID/, [mint({}), mint({})]],
  ['a mint that is not there', /USDC_MINT/, [program, null]],
  ['a program for a mint', /USDC_MINT/, [program, program]],
  ['a mint of nine decimals', /USDC_MINT/, [program, mint({ decimals: 9 })]],
  ['a mint that was never initialized', /USDC_MINT/, [program, mint({ isInitialized: false })]],
  ['a mint of another token program', /USDC_MINT/, [program, mint({ owner: TOKENS_2022 })]],
  ['a token account for a mint', /USDC_MINT/, [program, account(TOKENS, new Uint8Array(165))]],
])('%s does not pass', async (_case, reason, accounts) => {
  const check = checkDeployment(rpcWith(accounts), { programId, usdcMint });
  await expect(check).rejects.toThrow(reason);
  await expect(check).rejects.toMatchObject({ code: 'SERVER_MISCONFIGURED' });
});

test.each([
  ['PROGRAM_ID', { programId: '', usdcMint }],
  ['USDC_MINT', { programId, usdcMint: 'not an address' }],
])('%s without an address is reported without a call to the chain', async (name, deployment) => {
  const check = checkDeployment(
    { accounts: () => Promise.reject(new Error('must not be called')) },
    deployment,
  );
  await expect(check).rejects.toThrow(name);
});

test('a chain that does not respond is not a misconfiguration', async () => {
  const away = { accounts: () => Promise.reject(new AppError('RPC_UNAVAILABLE')) };
  const check = checkDeployment(away, { programId, usdcMint });
  await expect(check).rejects.toMatchObject({ code: 'RPC_UNAVAILABLE' });
});
