import { randomBytes } from 'node:crypto';
import type { ChainTransaction } from '@agent-wallet/chain';
import { createLogger } from '@agent-wallet/process';
import type { Settlement, WatchedAttempt } from '@agent-wallet/spend';
import bs58 from 'bs58';
import { expect, test } from 'vitest';
import { chainTransaction } from '../../../../tests/support/chain/scripted-chain.ts';
import { failedWith, program } from '../../fixtures/chain.ts';
import { watchedAttempt } from '../../fixtures/watched-attempt.ts';
import { createMetrics } from '../metrics.ts';
import { createResolveHint } from './resolve-hint.ts';

const SESSION_SIGNATURE = randomBytes(64);
/** Two signatures, the first still missing, and a message. */
const WIRE = Buffer.concat([
  Buffer.from([2]),
  Buffer.alloc(64),
  SESSION_SIGNATURE,
  randomBytes(99),
]);
const HINT = bs58.encode(randomBytes(64));
const released = (change: Partial<WatchedAttempt> = {}): WatchedAttempt =>
  watchedAttempt({
    broadcaster: 'facilitator',
    signature: null,
    signatureHint: HINT,
    ...change,
  });

const SIGNATURES = [HINT, bs58.encode(SESSION_SIGNATURE)];
const transaction = (change: Partial<ChainTransaction> = {}): ChainTransaction =>
  chainTransaction({ slot: 1_600n, signatures: SIGNATURES, ...change });

/** A node that returns these one after the other, and throws an error. */
function hintsOver(answers: readonly (ChainTransaction | null | Error)[]): {
  readonly resolve: (attempt?: WatchedAttempt) => Promise<Settlement | null>;
  readonly calls: string[];
} {
  const calls: string[] = [];
  const resolveHint = createResolveHint({
    pool: {
      size: 1,
      readable: () => [],
      // Only the method in use exists.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      rpc: {
        transaction: async (signature: string, commitment: string) => {
          const answer = answers[calls.length];
          calls.push(`${signature} ${commitment}`);
          if (answer === undefined) throw new Error('must not be read');
          if (answer instanceof Error) throw answer;
          return answer;
        },
      } as unknown as Parameters<typeof createResolveHint>[0]['pool']['rpc'],
    },
    program,
    readWire: async () => WIRE,
    log: createLogger({ name: 'test', level: 'silent' }),
    metrics: createMetrics(),
  });
  return { resolve: (attempt = released()) => resolveHint(attempt), calls };
}

test('the payment itself, under the signature that the service named, is its landing', async () => {
  const { resolve, calls } = hintsOver([transaction()]);
  expect(await resolve()).toMatchObject({ kind: 'landed_ok', signature: HINT, slot: 1_600n });
  expect(calls).toEqual([`${HINT} confirmed`]);
});

test('a failed payment carries the program’s error', async () => {
  const failed = failedWith('DailyCapExceeded', 6_003, { signatures: SIGNATURES });
  expect(await hintsOver([failed]).resolve()).toMatchObject({
    kind: 'landed_error',
    signature: HINT,
    code: 'DailyCapExceeded',
  });
});

test.each<[string, Partial<ChainTransaction>]>([
  ['of another payment', { signatures: [HINT, bs58.encode(randomBytes(64))] }],
  ['of one signer', { signatures: [HINT] }],
  ['that failed and is of another payment', { signatures: [HINT, HINT], err: 'failed' }],
])('a transaction %s resolves nothing, and is not read twice', async (_case, change) => {
  const { resolve, calls } = hintsOver([transaction(change)]);
  expect(await resolve()).toBeNull();
  expect(await resolve()).toBeNull();
  expect(calls).toHaveLength(1);
});

test('another hint is read again', async () => {
  const other = bs58.encode(randomBytes(64));
  const { resolve } = hintsOver([transaction({ signatures: [HINT] }), transaction()]);
  expect(await resolve()).toBeNull();
  const named = released({ signatureHint: other });
  expect(await resolve(named)).toMatchObject({ kind: 'landed_ok', signature: other });
});

test('a transaction that is not shown, or not read, is read again', async () => {
  const { resolve } = hintsOver([null, new Error('away'), transaction()]);
  expect(await resolve()).toBeNull();
  expect(await resolve()).toBeNull();
  expect(await resolve()).toMatchObject({ kind: 'landed_ok' });
});

test.each<[string, Partial<WatchedAttempt>]>([
  ['none', { signatureHint: null }],
  ['too short', { signatureHint: '1'.repeat(63) }],
  ['too much for a signature', { signatureHint: 'z'.repeat(88) }],
  ['of a landing that is known', { signature: 'known' }],
])('a hint that is %s is not read', async (_case, change) => {
  expect(await hintsOver([]).resolve(released(change))).toBeNull();
});
