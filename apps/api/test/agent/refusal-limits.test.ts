import { expect, it } from 'vitest';
import { addSessionKey, agentWith, openSession } from '../fixtures/open-session.ts';
import { createSession, newAddress } from '../fixtures/signed-in-owner.ts';
import {
  auditOf,
  countSpends,
  expectTrace,
  NEVER,
  setPolicy,
} from '../fixtures/spends-of-wallet.ts';
import { expectRefused, useTestApp } from '../fixtures/test-app.ts';

const HOUR_MS = 3_600_000;
const PENDING = { prefer: 'wait=0' };
const TOO_MANY = 'too many refused requests';
const CLOSED = 'OUTSIDE_TIME_WINDOW';

const t = await useTestApp({ refusalLimits: { session: 2, wallet: 3 } });

it('returns 429 and writes no row when a session has had too many requests refused', async () => {
  const s = await openSession(t);
  await setPolicy(t, s, { hours: NEVER });
  for (let n = 0; n < 2; n += 1) expectRefused(await s.pay(1), 403, CLOSED);
  const answer = await s.pay(1);
  expectRefused(answer, 429, TOO_MANY, { code: 'TOO_MANY_REFUSALS', detail: CLOSED });
  expect(answer.headers['retry-after']).toBe('1800');
  await expectTrace(t, s, 0, [CLOSED, CLOSED]);
  t.clock.nowMs += HOUR_MS / 2;
  expectRefused(await s.pay(1), 403, CLOSED);
});

it('still accepts what is not refused', async () => {
  const s = await openSession(t);
  await setPolicy(t, s, { hours: NEVER });
  for (const status of [403, 403, 429]) expect((await s.pay(1)).statusCode).toBe(status);
  await setPolicy(t, s, {});
  expect((await s.pay(1, PENDING)).statusCode).toBe(202);
});

it('counts the refusals of all sessions of a wallet together', async () => {
  const s = await openSession(t);
  await addSessionKey(t);
  const created = await createSession(s.owner, s.walletId);
  const other = agentWith(t, created.json<{ api_key: string }>().api_key, s.recipient);
  await setPolicy(t, s, { hours: NEVER });
  for (const one of [s, s, other]) expectRefused(await one.pay(1), 403, CLOSED);
  expectRefused(await other.pay(1), 429, TOO_MANY);
  expect(await auditOf(t, s)).toHaveLength(3);
});

it('counts requests that the chain is to refuse, and queues no more of them', async () => {
  const s = await openSession(t);
  const payStranger = () => s.pay(1, PENDING, { recipient: newAddress() });
  for (let n = 0; n < 2; n += 1) expect((await payStranger()).statusCode).toBe(202);
  expectRefused(await payStranger(), 429, TOO_MANY);
  expect(await countSpends(t, s.sessionId)).toBe(2);
});
