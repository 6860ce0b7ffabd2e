import { randomBytes } from 'node:crypto';
import { type ChainTransaction, createWalletProgram } from '@agent-wallet/chain';
import { createLogger } from '@agent-wallet/process';
import type { Settlement, WatchedAttempt } from '@agent-wallet/spend';
import bs58 from 'bs58';
import { expect, test } from 'vitest';
import { watchedAttempt } from '../../fixtures/watched-attempt.ts';
import { createMetrics } from '../metrics.ts';
import { createResolveHint } from './resolve-hint.ts';

const PROGRAM = 'bPnk5YbjddraY6VFyhAFS5at5FXNjEtCoDARzTL8jBm';
const SESSION_SIGNATURE = randomBytes(64);
/** Two signatures, the first still missing, and a message. */
const WIRE = Buffer.concat([
  Buffer.from([2]),
  Buffer.alloc(64),
  SESSION_SIGNATURE,
  randomBytes(99),
]);
const HINT = bs58.encode(randomBytes(64));
const handedOut = (change: Partial<WatchedAttempt> = {}): WatchedAttempt =>
  watchedAttempt({
    broadcaster: 'facilitator',
    signature: null,
    signatureHint: HINT,
    wire: WIRE,
    ...change,
  });

const transaction = (change: Partial<ChainTransaction> = {}): ChainTransaction => ({
  slot: 1_600n,
  blockTime: null,
  err: null,
  logs: [],
  signatures: [HINT, bs58.encode(SESSION_SIGNATURE)],
  accountKeys: [],
  instructionPrograms: [PROGRAM],
  innerInstructions: [],
  tokenChanges: [],
  ...change,
});

/** A node that answers with these, one after the other; an error is thrown. */
function hintsOver(answers: readonly (ChainTransaction | null | Error)[]): {
  readonly settle: (attempt?: WatchedAttempt) => Promise<Settlement | null>;
  readonly asked: string[];
} {
  const asked: string[] = [];
  const resolveHint = createResolveHint({
    pool: {
      size: 1,
      readable: () => [],
      // Only what a hint asks for is there.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      rpc: {
        transaction: async (signature: string, commitment: string) => {
          const answer = answers[asked.length];
          asked.push(`${signature} ${commitment}`);
          if (answer === undefined) throw new Error('must not be asked');
          if (answer instanceof Error) throw answer;
          return answer;
        },
      } as unknown as Parameters<typeof createResolveHint>[0]['pool']['rpc'],
    },
    program: createWalletProgram({
      programId: PROGRAM,
      usdcMint: '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU',
    }),
    log: createLogger({ name: 'test', level: 'silent' }),
    metrics: createMetrics(),
  });
  return { settle: (attempt = handedOut()) => resolveHint(attempt), asked };
}

test('the payment itself, under the name that the service gave, is its landing', async () => {
  const { settle, asked } = hintsOver([transaction()]);
  expect(await settle()).toMatchObject({ kind: 'landed_ok', signature: HINT, slot: 1_600n });
  expect(asked).toEqual([`${HINT} confirmed`]);
});

test('the payment that failed is told in the words of the program', async () => {
  const failed = transaction({
    err: { InstructionError: [0, { Custom: 6_003 }] },
    logs: [
      `Program ${PROGRAM} invoke [1]`,
      'Program log: AnchorError occurred. Error Code: DailyCapExceeded. Error Number: 6003. Error Message: no.',
      `Program ${PROGRAM} failed: custom program error: 0x1773`,
    ],
  });
  expect(await hintsOver([failed]).settle()).toMatchObject({
    kind: 'landed_error',
    signature: HINT,
    code: 'DailyCapExceeded',
  });
});

test.each<[string, Partial<ChainTransaction>]>([
  ['of somebody else', { signatures: [HINT, bs58.encode(randomBytes(64))] }],
  ['of one signer', { signatures: [HINT] }],
  ['that failed and is of somebody else', { signatures: [HINT, HINT], err: 'failed' }],
])('a transaction %s settles nothing, and is not looked at twice', async (_case, change) => {
  const { settle, asked } = hintsOver([transaction(change)]);
  expect(await settle()).toBeNull();
  expect(await settle()).toBeNull();
  expect(asked).toHaveLength(1);
});

test('another name for it is looked at anew', async () => {
  const other = bs58.encode(randomBytes(64));
  const { settle } = hintsOver([transaction({ signatures: [HINT] }), transaction()]);
  expect(await settle()).toBeNull();
  const named = handedOut({ signatureHint: other });
  expect(await settle(named)).toMatchObject({ kind: 'landed_ok', signature: other });
});

test('what no node shows yet, or a node that is away, is asked for again', async () => {
  const { settle } = hintsOver([null, new Error('away'), transaction()]);
  expect(await settle()).toBeNull();
  expect(await settle()).toBeNull();
  expect(await settle()).toMatchObject({ kind: 'landed_ok' });
});

test.each<[string, Partial<WatchedAttempt>]>([
  ['none', { signatureHint: null }],
  ['too short', { signatureHint: '1'.repeat(63) }],
  ['too much for a signature', { signatureHint: 'z'.repeat(88) }],
  ['of a landing that is known', { signature: 'known' }],
])('a hint that is %s is not asked for', async (_case, change) => {
  expect(await hintsOver([]).settle(handedOut(change))).toBeNull();
});
