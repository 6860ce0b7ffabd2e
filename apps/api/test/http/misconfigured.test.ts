import { AppError } from '@agent-wallet/errors';
import { sql } from 'slonik';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createMisconfiguredApp } from '../../src/misconfigured-app.ts';
import { openSession } from '../fixtures/open-session.ts';
import { createSession, signIn } from '../fixtures/signed-in-owner.ts';
import { countSpends } from '../fixtures/spends-of-wallet.ts';
import { startTestApp } from '../fixtures/test-app.ts';

const MISCONFIGURED = { error: 'server misconfigured', layer: 'off-chain', retryable: false };

const appFor = (fault: unknown) =>
  createMisconfiguredApp({ fault, logger: pino({ level: 'silent' }), isDraining: () => false });

test.each(['SERVER_MISCONFIGURED', 'CHAIN_MISMATCH'] as const)(
  'after %s every call of the interface is a 500 without details, and the api is not ready',
  async (code) => {
    await using app = appFor(new AppError(code, { reason: 'USDC_MINT is no mint' }));
    const requested = [
      app.inject({ method: 'POST', url: '/v1/spend/transfer', payload: { amount: 1 } }),
      app.inject({ method: 'POST', url: '/v1/auth/siws/nonce', payload: 'no JSON' }),
      app.inject('/v1/wallet'),
      app.inject('/v1/nothing/of/the/kind'),
    ];
    for (const answer of await Promise.all(requested)) {
      expect(answer.statusCode).toBe(500);
      expect(answer.json()).toEqual({ ...MISCONFIGURED, code });
    }
    expect((await app.inject('/livez')).statusCode).toBe(200);
    const ready = await app.inject('/readyz');
    expect([ready.statusCode, ready.json()]).toEqual([
      503,
      { status: 'not ready', checks: { configuration: 'down' } },
    ]);
    expect((await app.inject('/elsewhere')).statusCode).toBe(404);
  },
);

test.each([new AppError('RPC_UNAVAILABLE'), new TypeError('a fault of ours')])(
  'a fault other than a misconfiguration ends the process: %s',
  (fault) => {
    expect(() => appFor(fault)).toThrow(fault);
  },
);

test('while no session key can be opened, the api accepts no spend and no session, and serves the rest', async () => {
  await using t = await startTestApp();
  const { owner, pay, sessionId, walletId } = await openSession(t);
  const keyed = { 'idempotency-key': 'before', prefer: 'respond-async' };
  expect((await pay(5, keyed)).statusCode).toBe(202);
  await t.db.query(sql.unsafe`
    insert into deployment (genesis_hash, program_id, usdc_mint, identity, keystore_refused_at)
    values ('local', 'program', 'mint', database_identity(), now() - interval '1 minute')
  `);

  const session = await createSession(owner, walletId);
  for (const refused of [await pay(6), session]) {
    expect([refused.statusCode, refused.json()]).toEqual([
      500,
      { ...MISCONFIGURED, code: 'SERVER_MISCONFIGURED' },
    ]);
  }
  expect(await countSpends(t, sessionId)).toBe(1);

  expect((await pay(5, keyed)).statusCode).toBe(202);
  expect((await owner.call('GET', '/v1/wallet')).statusCode).toBe(200);
  expect((await signIn(t)).cookie).not.toBe('');
});
