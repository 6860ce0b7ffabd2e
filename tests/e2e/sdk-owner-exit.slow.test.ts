/** The way out of an owner through the SDK, while the API is down. */
import { Keypair, PublicKey } from '@solana/web3.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAgentWallet, usdc } from '../../libs/sdk/src/index.ts';
import {
  createOwnerClient,
  createOwnerExit,
  keypairSigner,
  LOCAL,
  type OwnerExit,
  type SendProgress,
} from '../../libs/sdk/src/owner/index.ts';
import { createLaneFixture, type LaneFixture } from '../support/system/lane-fixture.ts';
import { useSystem } from '../support/system/use-system.ts';

const SOL = 1_000_000_000;

const system = useSystem();
let fixture: LaneFixture;
beforeAll(async () => {
  fixture = await createLaneFixture(system());
});
afterAll(() => fixture[Symbol.asyncDispose]());

const balanceOf = ({ publicKey }: Keypair) =>
  fixture.balance(fixture.program.addresses.usdcAta(publicKey.toBase58()));

/** An owner with 10 USDC, of which 4 are deployed and the agent has spent 1. */
async function createOwner() {
  const keypair = Keypair.generate();
  const { urls, programId, usdcMint, faucet } = system();
  await faucet.sol(keypair.publicKey, SOL);
  const given = {
    rpcUrl: urls.rpc,
    deployment: { ...LOCAL, programId, usdcMint },
    signer: keypairSigner(keypair.secretKey),
  };
  const owner = createOwnerClient({ url: urls.api, ...given });
  await owner.signIn();
  const created = await owner.createWallet({ max_deployed_fraction_bp: 8_000 });
  await created.transaction.sendAndConfirm();
  await faucet.usdc(new PublicKey(created.vaultUsdcAta), usdc('10'));
  await (await owner.yieldDeposit({ amount: usdc('4') })).sendAndConfirm();
  const recipient = await fixture.createRecipient();
  const session = await owner.createSession({
    wallet_id: created.wallet_id,
    max_per_tx: usdc('1'),
    daily_cap: usdc('5'),
    expiry: Math.floor(Date.now() / 1_000) + 3_600,
    allowed_recipients: [recipient],
    allowed_instructions: 1,
  });
  await session.transaction?.sendAndConfirm();
  const agent = createAgentWallet({ url: urls.api, apiKey: session.api_key ?? '' });
  await agent.waitFor(await agent.transfer({ recipient, amount: usdc('1') }));
  return { keypair, owner, session, exit: createOwnerExit(given) };
}

async function readVault(exit: OwnerExit) {
  const vault = await exit.vault();
  if (vault === null) throw new Error('there is no vault');
  return vault;
}

test('an owner pauses, revokes, redeems and withdraws with an RPC node alone', async () => {
  const { keypair, owner, session, exit } = await createOwner();
  await system().kill('api');
  await expect(owner.wallet({ timeoutMs: 500 })).rejects.toMatchObject({ code: 'NO_REPLY' });

  const progress: SendProgress[] = [];
  await (await exit.pause()).sendAndConfirm({ onProgress: (one) => progress.push(one) });
  expect(progress.at(-1)?.status).toBe('confirmed');
  await (await exit.resume()).sendAndConfirm();
  await expect(exit.vault()).resolves.toMatchObject({ paused: false });
  await (await exit.pause()).sendAndConfirm();
  const before = await readVault(exit);
  expect(before).toMatchObject({
    paused: true,
    liquid: usdc('5'),
    deployed_amount: usdc('4'),
    open_sessions: 1n,
    sessions: [
      {
        session_pubkey: session.session_pubkey,
        session_index: session.session_index,
        daily_spent_by_hour: [{ amount: usdc('1') }],
      },
    ],
  });

  await (await exit.revoke(before.sessions)).sendAndConfirm();
  await (await exit.redeem({ collateral: before.collateral })).sendAndConfirm();
  await (await exit.withdraw({ amount: 1n })).sendAndConfirm();
  expect(await balanceOf(keypair)).toBe(1n);
  const { liquid } = await readVault(exit);
  // The reserve may round down by a base unit.
  expect(liquid).toBeGreaterThanOrEqual(usdc('9') - 2n);
  await (await exit.withdraw({ amount: 'all' })).sendAndConfirm();
  expect(await balanceOf(keypair)).toBe(1n + liquid);
  const left = { liquid: 0n, collateral: 0n, deployed_amount: 0n, sessions: [] };
  await expect(exit.vault()).resolves.toMatchObject(left);

  const nothing = (await exit.withdraw({ amount: 1n })).sendAndConfirm();
  await expect(nothing).rejects.toMatchObject({ code: 'TRANSACTION_FAILED' });
});

test('a vault that does not exist is null, and a node that does not respond is an error', async () => {
  const { urls } = system();
  const signer = keypairSigner(Keypair.generate().secretKey);
  const exit = createOwnerExit({ rpcUrl: urls.rpc, deployment: LOCAL, signer });
  await expect(exit.vault()).resolves.toBeNull();
  const nowhere = createOwnerExit({ rpcUrl: urls.api, deployment: LOCAL, signer });
  await expect(nowhere.pause({ timeoutMs: 500 })).rejects.toMatchObject({
    code: 'RPC_UNAVAILABLE',
  });
});
