import { EVERYTHING, SANDBOX_RESERVE } from '@agent-wallet/chain';
import { verifyAudit } from '@agent-wallet/audit';
import { PublicKey } from '@solana/web3.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { callApi, createHttpOwner, type HttpSession } from '../support/http/http-owner.ts';
import { createLaneFixture, type LaneFixture } from '../support/system/lane-fixture.ts';
import { useSystem } from '../support/system/use-system.ts';
import { waitUntil } from '../support/wait-until.ts';

const system = useSystem();
let fixture: LaneFixture;
beforeAll(async () => {
  fixture = await createLaneFixture(system());
});
afterAll(() => fixture[Symbol.asyncDispose]());

const txAnswer = z.object({ txBase64: z.string() });
const items = z.object({ items: z.array(z.object({ action: z.string() })) });

test('an owner closes the vault and opens it again, and an old signature revives nothing', async () => {
  const owner = await createHttpOwner(system(), fixture, 1_000n);
  const address = owner.keypair.publicKey.toBase58();
  const headers = { cookie: owner.cookie };
  const { ownerTransactions, program, rpc } = fixture;
  const recipient = await fixture.createRecipient();
  const readWallet = async () => (await callApi(system(), 'GET', '/v1/wallet', { headers })).body;
  const requestSession = () =>
    callApi(system(), 'POST', '/v1/session', {
      headers,
      body: {
        wallet_id: owner.walletId,
        max_per_tx: 10,
        daily_cap: 100,
        expiry: 4_000_000_000,
        allowed_recipients: [recipient],
        allowed_instructions: 1,
      },
    });
  const pay = ({ apiKey }: HttpSession) =>
    callApi(system(), 'POST', '/v1/spend/transfer', {
      headers: { authorization: `Bearer ${apiKey}` },
      body: { recipient, amount: 5 },
    });
  const indexOf = async ({ sessionPda }: HttpSession): Promise<bigint> => {
    const { accounts } = await rpc.accounts([sessionPda], { commitment: 'confirmed' });
    return (accounts[0] ? program.decodeSession(accounts[0])?.index : null) ?? -1n;
  };
  const actions = async (): Promise<readonly string[]> => {
    const { body } = await callApi(system(), 'GET', '/v1/audit?limit=200', { headers });
    return items.parse(body).items.map(({ action }) => action);
  };

  // The owner signs a session of the first vault, which somebody keeps.
  const first = await owner.createSession({ recipients: [recipient] });
  expect((await pay(first)).status).toBe(200);
  const held = txAnswer.parse((await requestSession()).body).txBase64;
  const firstIndex = await indexOf(first);
  const session = { sessionPda: first.sessionPda, sessionIndex: firstIndex };
  await fixture.ownerSends(owner.keypair, await ownerTransactions.revokeSession(address, session));
  await fixture.ownerSends(
    owner.keypair,
    await ownerTransactions.withdraw(address, EVERYTHING, null),
  );
  await system().faucet.sol(new PublicKey(owner.vault), 5_000);
  await fixture.ownerSends(owner.keypair, await ownerTransactions.sweepLamports(address));
  await fixture.ownerSends(
    owner.keypair,
    await ownerTransactions.closeVault(
      address,
      SANDBOX_RESERVE,
      await fixture.nextSessionIndex(owner.vault),
    ),
  );
  const { accounts } = await rpc.accounts([owner.vault, owner.vaultUsdcAta], {
    commitment: 'confirmed',
  });
  expect(accounts).toEqual([null, null]);
  expect(await readWallet()).toMatchObject({ status: 'pending', liquid: 0 });
  expect(await requestSession()).toMatchObject({
    status: 409,
    body: { error: 'wallet not active' },
  });
  await waitUntil('the closing in the log', async () => (await actions()).includes('close_vault'));
  expect(await actions()).toContain('sweep_lamports');

  // The same wallet, with a new vault at the same address.
  const again = await callApi(system(), 'POST', '/v1/wallet', { headers, body: {} });
  expect(again.body).toMatchObject({ wallet_id: owner.walletId, vaultPda: owner.vault });
  await fixture.ownerSends(owner.keypair, txAnswer.parse(again.body).txBase64);
  expect(await readWallet()).toMatchObject({ status: 'active' });
  await system().faucet.usdc(new PublicKey(owner.vaultUsdcAta), 1_000n);
  await expect(fixture.ownerSends(owner.keypair, held)).rejects.toThrow('SessionIndexMismatch');
  const second = await owner.createSession({ recipients: [recipient] });
  expect(await indexOf(second)).toBeGreaterThan(firstIndex);
  expect((await pay(second)).status).toBe(200);
  expect((await pay(first)).status).toBe(401);
  expect(await verifyAudit(fixture.db, owner.walletId)).toMatchObject({ kind: 'intact' });
});
