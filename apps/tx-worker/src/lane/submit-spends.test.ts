import type { Send } from '@agent-wallet/chain';
import { createLogger } from '@agent-wallet/process';
import { createResendNow, holdResends, readLane, type Spend } from '@agent-wallet/spend';
import { sql } from 'slonik';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { holdLane } from '../../../../tests/support/database/lane-rows.ts';
import { signedFor } from '../../../../tests/support/database/made-up-spends.ts';
import { type RowSession, useSpendRows } from '../../../../tests/support/database/spend-rows.ts';
import { SPEND_STATES } from '../../../../tests/support/database/spend-states.ts';
import { MAX_PER_TX_EXCEEDED } from '../../fixtures/lanes.ts';
import { waitUntil } from '../../../../tests/support/wait-until.ts';
import { createMetrics } from '../metrics.ts';
import { createStoreClaims } from './batch-lanes.ts';
import { createSubmitSpends } from './submit-spends.ts';

const rows = await useSpendRows();

type SendOutcome = Awaited<ReturnType<Send>>;
type Refusal = Extract<SendOutcome, { kind: 'refused' }>['failure'];

const refused = (change: Partial<Refusal>): SendOutcome => ({
  kind: 'refused',
  failure: { ...MAX_PER_TX_EXCEEDED.failure, ...change },
});
const NO_SESSION = refused({ name: 'AccountNotInitialized', account: 'session', detail: 'gone' });
/** Neither the preflight nor a later look finds the session. */
const SESSION_GONE = { send: async () => NO_SESSION, isSessionAbsent: async () => true };

const neverSend: Send = () => Promise.reject(new Error('must not be sent'));
const neverLook = (): Promise<boolean> => Promise.reject(new Error('must not look'));

type Submitted = {
  readonly session: RowSession;
  readonly spend: Spend;
  readonly after: Spend;
  readonly kind: string;
};

/** Submits one spend of a new session. */
async function submitOne({
  send = neverSend,
  sendAgain = neverSend,
  isSessionAbsent = neverLook,
  stoppedMs = 0,
  wasLive = true,
  before = async () => {},
}: {
  readonly send?: (...args: [...Parameters<Send>, spend: Spend]) => Promise<SendOutcome>;
  readonly sendAgain?: Send;
  readonly isSessionAbsent?: (sessionPda: string, minSlot: bigint) => Promise<boolean>;
  /** For how long the process is stopped during the claim. */
  readonly stoppedMs?: number;
  readonly wasLive?: boolean;
  readonly before?: (spend: Spend) => Promise<void>;
}): Promise<Submitted> {
  const session = await rows.createSession();
  if (!wasLive) {
    const neverLive = sql.fragment`status = 'awaiting_owner_signature', live_slot = null`;
    await rows.setSession(session.sessionId, neverLive);
  }
  const spend = await rows.accept(session);
  const fence = await holdLane(rows.db, session.sessionId);
  const queue = await readLane(rows.db, session.sessionId, 0);
  if (queue === null) throw new Error('no lane');
  const { lane } = queue;
  await before(spend);
  let asked = 0;
  const submit = createSubmitSpends({
    db: rows.db,
    storeClaims: createStoreClaims(rows.db),
    send: (wire, options) => send(wire, options, spend),
    sendAgain,
    isSessionAbsent,
    announceAttempts: async () => {},
    nowMs: () => (asked += 1) * stoppedMs,
    log: createLogger({ name: 'test', level: 'silent' }),
    metrics: createMetrics(),
  });
  const signed = signedFor(spend, 1n);
  const prepared = { kind: 'signed', signed, minContextSlot: 77n } as const;
  const batch = [{ spend, prepared }];
  const { outcome, sends } = await submit({ lane, fence, batch, thenRelease: true });
  const { length: refusals } = await sends;
  const sent = refusals > 0 ? 'refused' : 'sent';
  const kind = outcome === 'claimed' ? sent : 'not_claimed';
  return { session, spend, after: await rows.read(spend.spendId), kind };
}

test('the attempt is on disk before its bytes leave, and they leave once', async () => {
  const seen: unknown[] = [];
  const { after, kind } = await submitOne({
    send: async (wire, options) => {
      const stored = await rows.db.any(sql.type(
        z.object({ wire: z.instanceof(Buffer), status: z.string() }),
      )`
        select wire, status from attempt join spend using (spend_id)
        where wire = ${sql.binary(Buffer.from(wire))}
      `);
      seen.push({ stored, options });
      return { kind: 'accepted', signature: 'x' };
    },
  });
  expect(kind).toBe('sent');
  expect(seen).toEqual([
    {
      stored: [{ wire: expect.any(Buffer), status: 'in_flight' }],
      options: { skipPreflight: false, minContextSlot: 77n },
    },
  ]);
  expect(after).toMatchObject({ status: 'in_flight', attempt: 1, broadcasts: 0 });
});

describe('an answer that proves nothing leaves the spend in flight', () => {
  test.each<[string, SendOutcome]>([
    ['accepted', { kind: 'accepted', signature: 'x' }],
    ['unknown', { kind: 'unknown', message: 'timeout' }],
    ['already processed', { kind: 'already_processed' }],
    ['the number was used', refused({ name: 'SpendAlreadyExecuted' })],
    ['the number is too old', refused({ name: 'SpendSequenceTooOld' })],
  ])('%s', async (_case, outcome) => {
    const { after, kind } = await submitOne({ send: async () => outcome });
    expect(kind).toBe('sent');
    expect(after).toMatchObject({ status: 'in_flight', attempt: 1, code: null });
    expect(await rows.auditOf(after.spendId)).toEqual([]);
  });
});

describe('bytes that the endpoint did not take', () => {
  const NOT_TAKEN: SendOutcome = { kind: 'not_taken', message: 'behind' };

  test('go to every endpoint at once, counted before they leave', async () => {
    const seen: unknown[] = [];
    const { after } = await submitOne({
      send: async () => NOT_TAKEN,
      sendAgain: async (wire, options) => {
        const counted = await rows.db.one(sql.type(z.object({ broadcasts: z.number() }))`
          select broadcasts from attempt join spend using (spend_id)
          where wire = ${sql.binary(Buffer.from(wire))}
        `);
        seen.push({ ...counted, options });
        return { kind: 'accepted', signature: 'x' };
      },
    });
    expect(seen).toEqual([{ broadcasts: 1, options: { skipPreflight: true } }]);
    expect(after).toMatchObject({ status: 'in_flight', attempt: 1, broadcasts: 1 });
  });

  test('may have left all the same: a refusal elsewhere is no verdict', async () => {
    const { after, kind } = await submitOne({
      send: async () => NOT_TAKEN,
      sendAgain: async () => refused({}),
    });
    expect(kind).toBe('sent');
    expect(after).toMatchObject({ status: 'in_flight', code: null });
  });

  test('stay here when the spend was settled meanwhile', async () => {
    const { after } = await submitOne({
      send: async (_wire, _options, spend) => {
        await rows.settle(spend, { kind: 'landed_ok' });
        return NOT_TAKEN;
      },
    });
    expect(after).toMatchObject({ status: 'confirmed', broadcasts: 0 });
  });
});

/** The last send that the confirm-worker counts from, and whether the attempt is due. */
const readWatch = ({ spendId }: Spend): Promise<z.output<typeof watchRow>> =>
  rows.db.one(sql.type(watchRow)`
    select last_broadcast_at as "sentAt", look_at = 'epoch' as "isDue" from attempt_watch
    where spend_id = ${spendId}::uuid
  `);
const watchRow = z.object({ sentAt: z.date().nullable(), isDue: z.boolean() });
const LONG_AGO = new Date(0);

describe('the confirm-worker', () => {
  test.each<[string, SendOutcome, z.output<typeof watchRow>]>([
    [
      'sends bytes again at once whose first send failed',
      { kind: 'unknown', message: 'fetch failed' },
      { sentAt: LONG_AGO, isDue: true },
    ],
    [
      'sends bytes again at once for which a node was behind',
      NO_SESSION,
      { sentAt: LONG_AGO, isDue: true },
    ],
    [
      'gets no report of a send that a node has taken',
      { kind: 'accepted', signature: 'x' },
      { sentAt: null, isDue: false },
    ],
    [
      'gets no report of bytes that have landed',
      { kind: 'already_processed' },
      { sentAt: null, isDue: false },
    ],
  ])('%s', async (_case, outcome, expected) => {
    const { after } = await submitOne({
      send: async () => outcome,
      isSessionAbsent: async () => false,
    });
    expect(await readWatch(after)).toEqual(expected);
  });

  test('holds the re-send while a first send takes long, so that a refusal still counts', async () => {
    let sentAt: Date | null = null;
    const { after } = await submitOne({
      send: async (_wire, _options, spend) => {
        sentAt = await waitUntil('the hold', async () => (await readWatch(spend)).sentAt);
        return refused({});
      },
    });
    expect(sentAt).not.toEqual(LONG_AGO);
    expect(after).toMatchObject({ status: 'rejected', code: 'MaxPerTxExceeded' });
  });

  test('does not hold bytes whose first send was reported as failed a moment before', async () => {
    const spend = await rows.spendIn('in flight');
    const attempt = { spendId: spend.spendId, attemptNo: spend.attempt };
    await createResendNow(rows.db)(attempt);
    await holdResends(rows.db, [attempt]);
    expect(await readWatch(spend)).toEqual({ sentAt: LONG_AGO, isDue: true });
  });
});

describe('a refusal in preflight', () => {
  test('settles the spend in the words of the program', async () => {
    const { after, kind } = await submitOne({ send: async () => refused({}) });
    expect(kind).toBe('refused');
    expect(after).toMatchObject({
      status: 'rejected',
      code: 'MaxPerTxExceeded',
      detail: 'Error processing Instruction 2: 0x1771: MaxPerTxExceeded',
      txSignature: null,
    });
    expect(await rows.auditOf(after.spendId)).toEqual([
      { correction: 0, decision: 'deny', reason: 'MaxPerTxExceeded' },
    ]);
  });

  test.each<[string, Partial<Refusal>]>([
    [
      'by a program that ours called',
      { isOurs: false, name: 'InsufficientFunds', program: 'token' },
    ],
    [
      'of another account that is missing',
      { name: 'AccountNotInitialized', account: 'recipient_token_account' },
    ],
  ])('%s settles the spend as well', async (_case, failure) => {
    const { after } = await submitOne({ send: async () => refused(failure) });
    expect(after).toMatchObject({ status: 'rejected', code: failure.name });
  });

  test.each<[string, (spend: Spend) => Promise<void>, Partial<Spend>]>([
    [
      'the bytes were sent again',
      ({ spendId }) => rows.setSpend(spendId, sql.fragment`broadcasts = 1`),
      { status: 'in_flight', broadcasts: 1 },
    ],
    [
      'the spend was settled otherwise',
      (spend) => rows.settle(spend, { kind: 'landed_ok' }),
      { status: 'confirmed', code: null },
    ],
  ])('comes too late once %s', async (_case, meanwhile, expected) => {
    const { after, kind } = await submitOne({
      send: async (_wire, _options, spend) => {
        await meanwhile(spend);
        return refused({});
      },
    });
    expect(kind).toBe('sent');
    expect(after).toMatchObject(expected);
  });
});

describe('a session account that the preflight did not find', () => {
  test.each([
    ['that is gone after it was live is a revoked session', true, 'SessionRevoked'],
    ['that was never live is described in the program’s words', false, 'AccountNotInitialized'],
  ])('and %s', async (_case, wasLive, code) => {
    const { after } = await submitOne({ ...SESSION_GONE, wasLive });
    expect(after).toMatchObject({ status: 'rejected', code });
  });

  test('is looked for again at or past the slot at which it was seen', async () => {
    const looks: unknown[] = [];
    const { session } = await submitOne({
      ...SESSION_GONE,
      isSessionAbsent: async (...look) => {
        looks.push(look);
        return true;
      },
    });
    expect(looks).toEqual([[session.sessionPda, 900n]]);
  });

  test.each<[string, () => Promise<boolean>]>([
    ['is there after all', async () => false],
    ['cannot be looked for', () => Promise.reject(new Error('away'))],
  ])('leaves the spend in flight when it %s', async (_case, isSessionAbsent) => {
    const { after, kind } = await submitOne({ ...SESSION_GONE, isSessionAbsent });
    expect(kind).toBe('sent');
    expect(after).toMatchObject({ status: 'in_flight' });
  });
});

const freeLane = ({ sessionId }: Spend): Promise<void> =>
  rows.setLane(sessionId, sql.fragment`lease_until = '-infinity'`);

describe('bytes stay here', () => {
  test('when the claim was too long ago; they are stored for the confirm-worker', async () => {
    const { after, kind } = await submitOne({ stoppedMs: 6_001 });
    expect(kind).toBe('sent');
    expect(after).toMatchObject({ status: 'in_flight', attempt: 1 });
  });

  test.each<[string, (spend: Spend) => Promise<void>]>([
    [
      'when the spend is gone',
      async (spend) => {
        await freeLane(spend);
        await SPEND_STATES['refused in preflight'](rows, spend);
      },
    ],
    ['when the lane is lost', freeLane],
  ])('%s', async (_case, before) => {
    const { kind } = await submitOne({ before });
    expect(kind).toBe('not_claimed');
  });
});
