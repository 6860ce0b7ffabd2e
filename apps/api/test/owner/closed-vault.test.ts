import { sql } from 'slonik';
import { describe, expect, it } from 'vitest';
import { addSessionKey, openSession, type Session } from '../fixtures/open-session.ts';
import { createSession } from '../fixtures/signed-in-owner.ts';
import { expectRefused, useTestApp } from '../fixtures/test-app.ts';

const t = await useTestApp();

/** The follower has read that the owner closed the vault in this slot. */
const recordClosed = ({ walletId }: Session, slot: bigint) =>
  t.db.query(sql.unsafe`
    update wallet set status = 'pending', active_slot = null, closed_slot = ${slot}
    where wallet_id = ${walletId}::uuid
  `);

const forgetVault = (s: Session) =>
  t.chain.vaults.delete(t.chain.addressesOf(s.owner.pubkey).vaultPda);

const statusOf = async (s: Session) =>
  (await s.owner.call('GET', '/v1/wallet')).json<{ status: string }>().status;

async function expectNotActive(s: Session): Promise<void> {
  expect(await statusOf(s)).toBe('pending');
  await addSessionKey(t);
  for (const answer of [
    await createSession(s.owner, s.walletId),
    await s.owner.call('POST', '/v1/wallet/pause', {}),
  ]) {
    expectRefused(answer, 409, 'wallet not active');
  }
}

describe('a wallet whose vault was closed', () => {
  it('is not active, before and after the follower has read it', async () => {
    const s = await openSession(t);
    forgetVault(s);
    await expectNotActive(s);
    await recordClosed(s, t.chain.slot);
    await expectNotActive(s);
  });

  it('is not active for a node that still shows the vault', async () => {
    const s = await openSession(t);
    await recordClosed(s, t.chain.slot + 1n);
    await expectNotActive(s);
  });

  it('gets a new vault under the same id', async () => {
    const s = await openSession(t);
    forgetVault(s);
    await recordClosed(s, t.chain.slot);
    const made = await s.owner.call('POST', '/v1/wallet', {});
    expect(made.json()).toMatchObject({ wallet_id: s.walletId, txBase64: expect.any(String) });
    // Created again in the slot of the closing.
    t.chain.addVault(s.owner.pubkey, 0n);
    expect(await statusOf(s)).toBe('active');
    expectRefused(await s.owner.call('POST', '/v1/wallet', {}), 409, 'wallet already exists');
  });
});

describe('a node that has not seen the vault yet', () => {
  it('makes the request fail for now, and the wallet no less active', async () => {
    const s = await openSession(t);
    forgetVault(s);
    await t.db.query(sql.unsafe`
      update wallet set active_slot = ${t.chain.slot + 1n} where wallet_id = ${s.walletId}::uuid
    `);
    expect(await statusOf(s)).toBe('active');
    await addSessionKey(t);
    const answer = await createSession(s.owner, s.walletId);
    expectRefused(answer, 503, 'rpc unavailable', { retryable: true });
  });
});
