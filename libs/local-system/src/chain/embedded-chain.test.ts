import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeReserve, SANDBOX_RESERVE } from '@agent-wallet/chain';
import { getAssociatedTokenAddressSync } from '@solana/spl-token';
import { Connection, Keypair, PublicKey, SystemProgram, Transaction } from '@solana/web3.js';
import bs58 from 'bs58';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitUntil } from '../../../../tests/support/wait-until.ts';
import { hasProgramFile, localProgramId, PROGRAM_FILE, USDC_MINT } from './chain-facts.ts';
import { type EmbeddedChain, startEmbeddedChain } from './embedded-chain.ts';
import { createFaucet } from '../faucet/faucet.ts';
import { createReserveMarket } from './reserve-market.ts';
import { noChainSentence, startSurfnet } from './surfnet.ts';

const SENDS = 400;
const dir = mkdtempSync(join(tmpdir(), 'chain-test-'));
let chain: EmbeddedChain;
let connection: Connection;
let mintAuthority: Keypair;

beforeAll(async () => {
  chain = await startEmbeddedChain({ slotTimeMs: 100, logFile: join(dir, 'chain.log') });
  connection = new Connection(chain.rpcUrl, 'confirmed');
  mintAuthority = Keypair.fromSecretKey(bs58.decode(chain.faucetSecretKey));
});
afterAll(async () => {
  await chain.stop();
  rmSync(dir, { recursive: true });
});

test('slots advance without transactions', async () => {
  const before = await connection.getSlot();
  const moved = waitUntil('3 more slots', async () => (await connection.getSlot()) >= before + 3);
  await expect(moved).resolves.toBe(true);
});

test('the faucet mints USDC to an owner, twice the same amount, and to a token account, and gives SOL', async () => {
  const usdcMint = new PublicKey(USDC_MINT);
  const faucet = createFaucet({ connection, usdcMint, mintAuthority });
  const owner = Keypair.generate().publicKey;
  const account = getAssociatedTokenAddressSync(usdcMint, owner);
  await Promise.all([faucet.usdc(owner, 5n), faucet.usdc(owner, 5n)]);
  await faucet.usdc(account, 7n);
  expect((await connection.getTokenAccountBalance(account)).value).toMatchObject({
    amount: '17',
    decimals: 6,
  });
  await faucet.sol(owner, 2_000_000);
  expect(await connection.getBalance(owner)).toBe(2_000_000);
});

test.skipIf(!hasProgramFile())(
  `the program is deployed (skipped where ${PROGRAM_FILE} is not built)`,
  async () => {
    expect(chain.programLoaded).toBe(true);
    const account = await connection.getAccountInfo(new PublicKey(localProgramId()));
    expect(account?.executable).toBe(true);
  },
);

test('the yield reserve exists, and loans from it are repaid with interest', async () => {
  const usdcMint = new PublicKey(USDC_MINT);
  const market = createReserveMarket({ connection, usdcMint, admin: mintAuthority });
  const read = async () => {
    const account = await connection.getAccountInfo(new PublicKey(SANDBOX_RESERVE.reserve));
    if (account === null) throw new Error('there is no reserve');
    const { owner, data } = account;
    return decodeReserve(SANDBOX_RESERVE, { owner: owner.toBase58(), data });
  };
  const one = 1n << 60n;
  expect(await read()).toMatchObject({ available: 1n, totalScaled: one, collateralSupply: 1n });
  await market.lendOut(1n);
  await market.accrue(30_000n);
  expect(await read()).toMatchObject({ available: 0n, totalScaled: 4n * one });
  await market.repay();
  expect(await read()).toMatchObject({ available: 4n, totalScaled: 4n * one });
  await expect(market.lendOut(5n)).rejects.toThrow('6008');
});

test('400 consecutive sends do not block the chain, and all of them land', async () => {
  let latest = await connection.getLatestBlockhash();
  const signatures: string[] = [];
  for (let sent = 0; sent < SENDS; sent += 1) {
    // On a busy machine the sends outlast the life of one blockhash.
    if (sent % 50 === 0) latest = await connection.getLatestBlockhash();
    const transaction = new Transaction({
      feePayer: mintAuthority.publicKey,
      ...latest,
    }).add(
      SystemProgram.transfer({
        fromPubkey: mintAuthority.publicKey,
        toPubkey: mintAuthority.publicKey,
        lamports: sent,
      }),
    );
    transaction.sign(mintAuthority);
    const wire = transaction.serialize();
    signatures.push(await connection.sendRawTransaction(wire, { skipPreflight: true }));
  }
  const landed = waitUntil('every status', async () => {
    const batches = [signatures.slice(0, SENDS / 2), signatures.slice(SENDS / 2)];
    const answers = await Promise.all(batches.map((one) => connection.getSignatureStatuses(one)));
    return answers.flatMap(({ value }) => value).every((status) => status?.err === null);
  });
  await expect(landed).resolves.toBe(true);
});

test('a platform without an embedded chain gets one sentence that names the variable to set', () => {
  expect(() => startSurfnet(400, 'linux-riscv64')).toThrow(noChainSentence('linux-riscv64'));
  expect(noChainSentence('linux-riscv64')).toContain('set RPC_URL');
});
