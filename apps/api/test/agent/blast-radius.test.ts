import { SANDBOX_RESERVE } from '@agent-wallet/chain';
import { applySpend, emptySpendWindow } from '@agent-wallet/policy';
import { sql } from 'slonik';
import { describe, expect, it } from 'vitest';
import { NO_INTEREST } from '../fixtures/fake-chain.ts';
import {
  addSessionKey,
  changeSession,
  changeVault,
  openSession,
  type Session,
} from '../fixtures/open-session.ts';
import { createSession, newAddress } from '../fixtures/signed-in-owner.ts';
import { expectRefused, useTestApp } from '../fixtures/test-app.ts';

const t = await useTestApp();

const nowSeconds = () => BigInt(Math.floor(t.clock.nowMs / 1000));
const pathOf = ({ sessionId }: Session) => `/v1/session/${sessionId}/blast-radius`;

async function read(s: Session, path = pathOf(s)): Promise<Record<string, unknown>> {
  const answer = await s.owner.call('GET', path);
  expect(answer.statusCode).toBe(200);
  return answer.json<Record<string, unknown>>();
}

/** Another session of the same wallet. */
async function openSecond(s: Session): Promise<Session> {
  await addSessionKey(t);
  const created = await createSession(s.owner, s.walletId);
  const answer = created.json<{ session_id: string; session_pda: string }>();
  return { ...s, sessionId: answer.session_id, sessionPda: answer.session_pda };
}

const none = { now: '0', within_24h: '0', until_expiry: '0' };

describe('GET /v1/session/:id/blast-radius', () => {
  it('returns the amounts now, within a day and until the expiry as strings', async () => {
    const s = await openSession(t, 3_000n);
    const now = nowSeconds();
    const window = applySpend(emptySpendWindow(), now - 10n * 3_600n, 400n);
    changeSession(t, s, { dailyCap: 1_000n, maxPerTx: 1n, window, expiry: now + 10n * 86_400n });
    expect(await read(s)).toEqual({
      session_id: s.sessionId,
      status: 'live',
      expiry: Number(now) + 10 * 86_400,
      recipients: [s.recipient],
      paused: false,
      holdings: { liquid: '3000', deployed: '0', value: '0' },
      by_limits: {
        now: '600',
        within_24h: '1000',
        // In 240 hours: 600 ten times from now on, 400 ten times from 15 hours on.
        until_expiry: '10000',
      },
      of_holdings: { now: '600', within_24h: '1000', until_expiry: '3000' },
      yield_deposit: '0',
      yield_withdraw: '0',
      computed_at: Number(now),
    });
  });

  it('keeps amounts above 2^53 exact', async () => {
    const s = await openSession(t);
    changeSession(t, s, { dailyCap: 2n ** 64n - 1n });
    expect(await read(s)).toMatchObject({ by_limits: { now: '18446744073709551615' } });
  });

  it.each<[string, (s: Session) => void | Promise<void>]>([
    ['whose vault is paused', (s) => changeVault(t, s, { paused: true })],
    ['that has expired', (s) => changeSession(t, s, { expiry: nowSeconds() - 1n })],
    ['without recipients', (s) => changeSession(t, s, { recipients: [] })],
    [
      'that is revoked',
      async ({ sessionId }) => {
        await t.db.query(sql.unsafe`
          update session set status = 'revoked' where session_id = ${sessionId}::uuid
        `);
      },
    ],
  ])('is nothing for a session %s', async (_case, makeSo) => {
    const s = await openSession(t);
    await makeSo(s);
    expect(await read(s)).toMatchObject({ by_limits: none, of_holdings: none });
  });

  it('counts what is deployed, with its interest, for a session that may withdraw it', async () => {
    const s = await openSession(t, 100n);
    t.chain.yieldReserve = SANDBOX_RESERVE;
    t.chain.reserveState = {
      available: 1_000n,
      totalScaled: 2_000n << 60n,
      interest: NO_INTEREST,
      collateralSupply: 1_000n,
    };
    const { vaultPda } = t.chain.addressesOf(s.owner.pubkey);
    t.chain.collateral.set(vaultPda, 250n);
    changeVault(t, s, { deployedAmount: 400n, maxDeployedFractionBp: 10_000 });
    changeSession(t, s, { allowedInstructions: 7, dailyCap: 10_000n });
    expect(await read(s)).toMatchObject({
      holdings: { liquid: '100', deployed: '400', value: '500' },
      of_holdings: { now: '600' },
      yield_deposit: '100',
      yield_withdraw: '500',
    });
    changeSession(t, s, { allowedInstructions: 1 });
    expect(await read(s)).toMatchObject({ of_holdings: { now: '100' }, yield_withdraw: '0' });
  });

  it('is for the owner only, and 503 without the chain', async () => {
    const [s, other] = [await openSession(t), await openSession(t)];
    expectRefused(await other.owner.call('GET', pathOf(s)), 404, 'session not found');
    expect((await s.call(pathOf(s))).statusCode).toBe(401);
    t.chain.isDown = true;
    expectRefused(await s.owner.call('GET', pathOf(s)), 503, 'rpc unavailable');
  });

  it('does not report zero for a session that the node has not seen yet', async () => {
    const s = await openSession(t);
    await t.db.query(sql.unsafe`
      update session set status = 'live', session_index = 0, live_slot = ${t.chain.slot + 1n}
      where session_id = ${s.sessionId}::uuid
    `);
    t.chain.sessions.delete(s.sessionPda);
    expect((await s.owner.call('GET', pathOf(s))).statusCode).toBe(503);
  });
});

describe('GET /v1/wallet/blast-radius', () => {
  it('adds up the sessions, and counts the money of the vault once', async () => {
    const s = await openSession(t, 700n);
    changeSession(t, s, { dailyCap: 500n });
    const one = await read(s, '/v1/wallet/blast-radius');
    expect(one).toMatchObject({
      live_sessions: 1,
      is_complete: true,
      recipients: [s.recipient],
      by_limits: { now: '500' },
      of_holdings: { now: '500', until_expiry: '700' },
    });
    const second = await openSecond(s);
    changeSession(t, second, { dailyCap: 400n, recipients: [newAddress()] });
    const both = await read(s, '/v1/wallet/blast-radius');
    expect(both).toMatchObject({
      live_sessions: 2,
      by_limits: { now: '900' },
      of_holdings: { now: '700' },
    });
    expect(both['recipients']).toHaveLength(2);
    changeSession(t, second, { expiry: nowSeconds() - 1n });
    expect(await read(s, '/v1/wallet/blast-radius')).toMatchObject({
      live_sessions: 1,
      by_limits: { now: '500' },
    });
  });
});
