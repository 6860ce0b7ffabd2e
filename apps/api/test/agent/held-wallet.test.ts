import { lockWallet } from '@agent-wallet/wallet';
import { expect, it } from 'vitest';
import { expectRefused, expectTrace, openSession, useTestApp } from '../fixtures/test-app.ts';

const t = await useTestApp();

it('returns 503 while the row of the wallet is held, and logs and counts the cause', async () => {
  const s = await openSession(t);
  const locked = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const holding = t.db.transaction(async (tx) => {
    await lockWallet(tx, s.walletId);
    locked.resolve();
    await released.promise;
  });
  await locked.promise;
  const answer = await s.pay(1, { 'x-request-id': 'held-1', prefer: 'wait=0' });
  released.resolve();
  await holding;

  expectRefused(answer, 503, 'database unavailable', { retryable: true });
  expect(answer.json()).not.toHaveProperty('spend_id');
  await expectTrace(t, s, 0, []);
  const line = t
    .logLines()
    .split('\n')
    .find((text) => text.includes('spend not accepted'));
  expect(JSON.parse(line ?? '{}')).toMatchObject({
    reqId: 'held-1',
    session_id: s.sessionId,
    cause: 'lock_timeout',
    sql_state: '55P03',
  });
  expect((await t.app.inject('/metrics')).body).toContain(
    'agent_wallet_acceptances_refused_total{cause="lock_timeout"} 1',
  );
  expect((await s.pay(1, { prefer: 'wait=0' })).statusCode).toBe(202);
});
