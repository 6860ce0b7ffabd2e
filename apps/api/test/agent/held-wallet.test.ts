import { expect, it } from 'vitest';
import { whileWalletHeld } from '../../../../tests/support/database/while-wallet-held.ts';
import { openSession } from '../fixtures/open-session.ts';
import { expectTrace } from '../fixtures/spends-of-wallet.ts';
import { expectRefused, useTestApp } from '../fixtures/test-app.ts';

const t = await useTestApp();

it('returns 503 while the row of the wallet is held, and logs and counts the cause', async () => {
  const s = await openSession(t);
  const answer = await whileWalletHeld(t.db, s, () =>
    s.pay(1, { 'x-request-id': 'held-1', prefer: 'wait=0' }),
  );

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
  expect(await t.metrics.registry.metrics()).toContain(
    'agent_wallet_acceptances_refused_total{cause="lock_timeout"} 1',
  );
  expect((await s.pay(1, { prefer: 'wait=0' })).statusCode).toBe(202);
});
