import type { Send } from '@agent-wallet/chain';
import { createListener } from '@agent-wallet/db';
import { AppError } from '@agent-wallet/errors';
import { createLogger } from '@agent-wallet/process';
import { nextRetryId, type Spend, SPEND_SETTLED } from '@agent-wallet/spend';
import { sql } from 'slonik';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  expectSpend,
  FACILITATED,
  holdLane,
  type RowSession,
  signedFor,
  SPEND_STATES,
  useSpendRows,
} from '../../../../tests/support/database/spend-rows.ts';
import { createMetrics } from '../metrics.ts';
import type { ChainView } from './pipeline.ts';
import type { PrepareSpend } from '../sign/prepare-spend.ts';
import { createRunLane, type RunLane } from './run-lane.ts';
import { createSubmitSpends, type SubmitSpends } from './submit-spends.ts';

const rows = await useSpendRows();

const log = createLogger({ name: 'test', level: 'silent' });
/** A Friday at noon, UTC. */
const NOON_MS = Date.UTC(2026, 0, 2, 12);

const prepareAny: PrepareSpend = async (lane, spend) => ({
  kind: 'signed',
  signed: {
    ...signedFor(spend, spend.spendSeq ?? lane.nextSeq),
    policyVersion: lane.policyVersion,
  },
  minContextSlot: 1n,
});

const neverPrepare: PrepareSpend = () => Promise.reject(new Error('must not be prepared'));
const neverSubmit: SubmitSpends = () => Promise.reject(new Error('must not be submitted'));
const neverSend = (): never => {
  throw new Error('must not be sent');
};
const neverRead = (): never => {
  throw new Error('must not read the chain');
};

/** A chain on which any amount fits. */
const roomy: ChainView = {
  session: {
    vault: 'vault',
    sessionPubkey: 'key',
    index: 0n,
    maxPerTx: 1_000_000n,
    dailyCap: 1_000_000n,
    expiry: 0n,
    allowedInstructions: 1,
    recipients: [],
    dailySpent: 0n,
    dailyWindowStart: 0n,
    window: { buckets: Array.from({ length: 25 }, () => 0n), lastSeen: 0n },
    replay: { highestSeq: 0n, bitmap: [0n, 0n, 0n, 0n] },
  },
  liquid: 1_000_000n,
  slot: 1_000n,
};

const MAX_PER_TX_EXCEEDED: Awaited<ReturnType<Send>> = {
  kind: 'refused',
  failure: {
    program: 'ours',
    isOurs: true,
    name: 'MaxPerTxExceeded',
    number: 6_001,
    hex: '0x1771',
    account: null,
    detail: 'Error processing Instruction 2: 0x1771: MaxPerTxExceeded',
  },
};

type LaneDeps = Parameters<typeof createRunLane>[0] & { readonly send: Send };

/** A lane whose sends are accepted; `sent` names the spends in the order of their claims. */
function openLane({
  send = async () => ({ kind: 'accepted', signature: 'x' }),
  ...change
}: Partial<LaneDeps> = {}): {
  readonly run: (session: RowSession) => Promise<void>;
  /** The same without the sends. */
  readonly begin: (session: RowSession) => ReturnType<RunLane>;
  readonly sent: string[];
  readonly nudged: string[];
  readonly metrics: ReturnType<typeof createMetrics>;
} {
  const metrics = createMetrics();
  const nudged: string[] = [];
  const sent: string[] = [];
  const submit = createSubmitSpends({
    db: rows.db,
    send,
    isSessionAbsent: neverRead,
    announceAttempts: async () => {},
    nowMs: () => 0,
    log,
    metrics,
  });
  const runLane = createRunLane({
    db: rows.db,
    nudge: async (sessionId) => {
      nudged.push(sessionId);
    },
    prepare: prepareAny,
    submit: async (request) => {
      const submission = await submit(request);
      sent.push(...request.batch.slice(0, submission.count).map(({ spend }) => spend.spendId));
      return submission;
    },
    readChainView: async () => roomy,
    detectRestore: async () => false,
    depth: 32,
    nowMs: () => NOON_MS,
    log,
    metrics,
    ...change,
  });
  return {
    run: async ({ sessionId }) => (await runLane(sessionId)).sends,
    begin: ({ sessionId }) => runLane(sessionId),
    sent,
    nudged,
    metrics,
  };
}

/** A new session whose lane has this number of queued spends, of which `first` is the oldest. */
async function queueMany(
  count: number,
): Promise<{ session: RowSession; spends: readonly Spend[]; first: Spend }> {
  const session = await rows.createSession();
  const spends = await requestMany(session, count);
  const [first] = spends;
  if (first === undefined) throw new Error('no spend');
  return { session, spends, first };
}

async function requestMany(session: RowSession, count: number): Promise<readonly Spend[]> {
  const spends: Spend[] = [];
  for (let index = 0; index < count; index += 1) spends.push(await rows.accept(session));
  return spends;
}

const idsOf = (spends: readonly Spend[]): readonly string[] => spends.map(({ spendId }) => spendId);

async function isLaneFree({ sessionId }: RowSession): Promise<boolean> {
  return rows.db.oneFirst(sql.type(z.object({ free: z.boolean() }))`
    select lease_until < now() as free from lane where session_id = ${sessionId}::uuid
  `);
}

async function setTimeWindow(
  { walletId }: Pick<RowSession, 'walletId'>,
  timeWindow: unknown,
): Promise<void> {
  await rows.db.query(sql.unsafe`
    insert into wallet_policy (wallet_id, version, time_window)
    values (${walletId}::uuid, 1, ${JSON.stringify(timeWindow)}::jsonb)
  `);
}

describe('a run', () => {
  test('claims in the order of acceptance with numbers in that order, then frees the lane', async () => {
    const { session, spends } = await queueMany(5);
    const lane = openLane();
    await lane.run(session);
    expect(lane.sent).toEqual(idsOf(spends));
    for (const [index, { spendId }] of spends.entries()) {
      const spendSeq = BigInt(index + 1);
      await expectSpend(rows, { spendId }, { status: 'in_flight', attempt: 1, spendSeq });
    }
    expect(await isLaneFree(session)).toBe(true);
    expect(lane.nudged).toEqual([]);
  });

  test('puts no more in flight than the depth', async () => {
    const { session, spends, first } = await queueMany(4);
    const lane = openLane({ depth: 2 });
    await lane.run(session);
    expect(lane.sent).toEqual(idsOf(spends).slice(0, 2));
    await lane.run(session);
    expect(lane.sent).toHaveLength(2);
    await rows.settle(first, { kind: 'landed_ok' });
    await lane.run(session);
    expect(lane.sent).toEqual(idsOf(spends).slice(0, 3));
  });

  test('sends nothing while the session cannot be read, and says so', async () => {
    const { session, first } = await queueMany(1);
    const away = new AppError('RPC_UNAVAILABLE', { method: 'getMultipleAccounts' });
    const lane = openLane({
      readChainView: () => Promise.reject(away),
      prepare: neverPrepare,
    });
    await lane.run(session);
    expect(await rows.read(first.spendId)).toEqual(first);
    expect(lane.nudged).toEqual([]);
    expect(await isLaneFree(session)).toBe(true);
  });

  test('sends nothing once it detects a restore', async () => {
    const { session } = await queueMany(1);
    const lane = openLane({ detectRestore: async () => true, prepare: neverPrepare });
    await lane.run(session);
    expect(lane.nudged).toEqual([]);
    expect(await isLaneFree(session)).toBe(true);
  });

  test.each([
    ['does not fit beside it', { ...roomy, liquid: 199n }],
    ['cannot be compared with the chain', null],
  ])('lets what is in flight settle first when the next %s', async (_case, view) => {
    const { session } = await queueMany(2);
    const lane = openLane({ readChainView: async () => view });
    await lane.run(session);
    expect(lane.sent).toHaveLength(1);
  });

  test('ends after 32 claims and requests another run', async () => {
    const { session } = await queueMany(33);
    const lane = openLane({ depth: 100 });
    await lane.run(session);
    expect(lane.sent).toHaveLength(32);
    expect(lane.nudged).toEqual([session.sessionId]);
    expect(await isLaneFree(session)).toBe(true);
  });

  test('leaves a lane alone that another worker holds', async () => {
    const { session, first } = await queueMany(1);
    await holdLane(rows.db, session.sessionId);
    const lane = openLane({ prepare: neverPrepare, submit: neverSubmit });
    await lane.run(session);
    expect(await rows.read(first.spendId)).toEqual(first);
    expect(await isLaneFree(session)).toBe(false);
  });

  test('that lost its lease stops, and does not free the lane of the next holder', async () => {
    const { session, spends } = await queueMany(3);
    const lane = openLane({
      prepare: async (read, spend) => {
        await rows.setLane(read.sessionId, sql.fragment`lease_until = '-infinity'`);
        await holdLane(rows.db, read.sessionId);
        return prepareAny(read, spend);
      },
    });
    await lane.run(session);
    expect(lane.sent).toEqual([]);
    for (const spend of spends) expect(await rows.read(spend.spendId)).toEqual(spend);
    expect(await isLaneFree(session)).toBe(false);
  });

  test('builds again when its number was taken meanwhile', async () => {
    const { session, first } = await queueMany(1);
    let isFirst = true;
    const lane = openLane({
      prepare: async (read, requested) => {
        if (isFirst) {
          await rows.setSession(read.sessionId, sql.fragment`next_seq = 7`);
        }
        isFirst = false;
        return prepareAny(read, requested);
      },
    });
    await lane.run(session);
    await expectSpend(rows, first, { spendSeq: 7n, attempt: 1 });
  });

  test('frees the lane also when it fails', async () => {
    const { session } = await queueMany(1);
    const lane = openLane({ submit: () => Promise.reject(new Error('for the test')) });
    await expect(lane.run(session)).rejects.toThrow('for the test');
    expect(await isLaneFree(session)).toBe(true);
  });

  test('frees the lane before its sends have ended', async () => {
    const { session } = await queueMany(2);
    const answer = Promise.withResolvers<Awaited<ReturnType<Send>>>();
    const { begin } = openLane({ send: () => answer.promise });
    const { sends } = await begin(session);
    expect(await isLaneFree(session)).toBe(true);
    answer.resolve({ kind: 'accepted', signature: 'x' });
    await sends;
  });

  test('that could not store a batch stores the spends that can be stored alone', async () => {
    const { session, spends } = await queueMany(3);
    const tooLong = spends[1]?.spendId;
    const lane = openLane({
      prepare: async (read, spend) => {
        const prepared = await prepareAny(read, spend);
        if (spend.spendId !== tooLong || prepared.kind !== 'signed') return prepared;
        return { ...prepared, signed: { ...prepared.signed, wire: new Uint8Array(1_233) } };
      },
    });
    await expect(lane.run(session)).rejects.toThrow('integrity constraint');
    expect(lane.sent).toEqual(idsOf(spends).slice(0, 1));
    expect(await isLaneFree(session)).toBe(true);
  });

  test('whose refused spend makes room for others requests another run', async () => {
    const { session } = await queueMany(2);
    const lane = openLane({ send: async () => MAX_PER_TX_EXCEEDED, depth: 1 });
    await lane.run(session);
    expect(lane.nudged).toEqual([session.sessionId]);
  });

  test('of a session that is not there does nothing', async () => {
    const lane = openLane({ prepare: neverPrepare });
    const session = { ...(await rows.createSession()), sessionId: crypto.randomUUID() };
    await lane.run(session);
    expect(lane.nudged).toEqual([]);
  });

  test('waits while the oldest open number lags 128 behind', async () => {
    const session = await rows.createSession();
    await rows.spendIn('in flight', session);
    const next = await rows.accept(session);
    await rows.setSession(session.sessionId, sql.fragment`next_seq = 129`);
    const lane = openLane({ prepare: neverPrepare });
    await lane.run(session);
    await expectSpend(rows, next, { status: 'queued' });
    await rows.setSession(session.sessionId, sql.fragment`next_seq = 128`);
    const other = openLane();
    await other.run(session);
    expect(other.sent).toEqual([next.spendId]);
  });
});

describe('a payment that a facilitator sends', () => {
  test('is stored and told of, and never sent', async () => {
    const session = await rows.createSession();
    const spend = await rows.accept(session, FACILITATED);
    const told = Promise.withResolvers<string>();
    const listening = Promise.withResolvers<void>();
    const listener = createListener({
      url: rows.url,
      channel: SPEND_SETTLED,
      onNotify: told.resolve,
      onConnected: listening.resolve,
    });
    await listening.promise;
    const lane = openLane({ send: neverSend });
    await lane.run(session);
    await expectSpend(rows, spend, {
      status: 'in_flight',
      attempt: 1,
      txSignature: null,
      releasedAt: null,
    });
    expect(JSON.parse(await told.promise)).toEqual([spend.spendId]);
    await listener.close();
  });

  test('is refused in the words that its simulation had for it', async () => {
    const session = await rows.createSession();
    const spend = await rows.accept(session, FACILITATED);
    const lane = openLane({
      prepare: async () => ({ kind: 'refused', code: 'DailyCapExceeded', detail: 'its words' }),
      submit: neverSubmit,
    });
    await lane.run(session);
    await expectSpend(rows, spend, {
      status: 'rejected',
      code: 'DailyCapExceeded',
      detail: 'its words',
      attempt: 0,
    });
  });

  test('is not waited for, whatever comes next', async () => {
    const session = await rows.createSession();
    await rows.spendIn('facilitated, stored', session);
    const next = await rows.accept(session);
    const lane = openLane({ readChainView: async () => ({ ...roomy, liquid: 150n }), depth: 1 });
    await lane.run(session);
    expect(lane.sent).toEqual([next.spendId]);
  });

  test.each([
    [299n, 0],
    [300n, 1],
  ])('counts as spent beside others: of a balance of %i, %i go on', async (liquid, sent) => {
    const session = await rows.createSession();
    await rows.spendIn('facilitated, stored', session);
    await rows.spendIn('in flight', session);
    await rows.accept(session);
    const lane = openLane({ readChainView: async () => ({ ...roomy, liquid }) });
    await lane.run(session);
    expect(lane.sent).toHaveLength(sent);
  });

  test('holds up the lane once its number lags 128 behind', async () => {
    const session = await rows.createSession();
    await rows.spendIn('facilitated, stored', session);
    await rows.setSession(session.sessionId, sql.fragment`next_seq = 129`);
    await rows.accept(session);
    const lane = openLane({ prepare: neverPrepare });
    await lane.run(session);
    expect(lane.sent).toEqual([]);
  });
});

async function runOne(
  change: Partial<LaneDeps>,
  prepareRows: (session: RowSession, spend: Spend) => Promise<void> = async () => {},
  runs = 1,
): Promise<{ spend: Spend; lane: ReturnType<typeof openLane>; session: RowSession }> {
  const session = await rows.createSession();
  const spend = await rows.accept(session, {
    idempotencyKey: 'k',
    requestDigest: Buffer.from('d'),
  });
  await prepareRows(session, spend);
  const lane = openLane(change);
  for (let run = 0; run < runs; run += 1) await lane.run(session);
  return { spend: await rows.read(spend.spendId), lane, session };
}

const overdue = (_session: RowSession, { spendId }: Spend): Promise<void> =>
  rows.setSpend(spendId, sql.fragment`not_after = now()`);

const oldAgain = async (_session: RowSession, spend: Spend): Promise<void> => {
  await SPEND_STATES['queued again'](rows, spend);
  await rows.age(spend.spendId, 200);
};

const paidBefore = (_session: RowSession, { spendId }: Spend): Promise<void> =>
  rows.landed(nextRetryId(spendId));

const closedWindow = (session: Pick<RowSession, 'walletId'>): Promise<void> =>
  setTimeWindow(session, { start_min: 0, end_min: 60, days: 127, timezone: 'UTC' });

const unreadableWindow = (session: RowSession): Promise<void> =>
  setTimeWindow(session, { start_min: 'midnight' });

const closingWindow: PrepareSpend = async (lane, spend) => {
  await closedWindow(lane);
  return prepareAny(lane, spend);
};

const mismatch: PrepareSpend = () =>
  Promise.reject(new AppError('SIGNER_MISMATCH', { field: 'amount' }));

const broken: PrepareSpend = () => Promise.reject(new TypeError('a mistake'));

async function keyOf({ spendId }: Spend): Promise<unknown> {
  return rows.db.oneFirst(sql.unsafe`
    select idempotency_key from spend where spend_id = ${spendId}::uuid
  `);
}

describe('a spend that is not sent', () => {
  test.each<[string, string, Parameters<typeof runOne>]>([
    ['past its time', 'EXPIRED_UNSENT', [{ prepare: neverPrepare }, overdue]],
    ['paid under a later request of its key', 'EXPIRED_UNSENT', [{}, paidBefore]],
    ['too old to be signed again', 'NEVER_LANDED', [{ prepare: neverPrepare }, oldAgain]],
    ['in a closed time window', 'OUTSIDE_TIME_WINDOW', [{ prepare: neverPrepare }, closedWindow]],
    [
      'under a time window that cannot be read',
      'OUTSIDE_TIME_WINDOW',
      [{ prepare: neverPrepare }, unreadableWindow],
    ],
    [
      'whose time window closes while it is signed',
      'OUTSIDE_TIME_WINDOW',
      [{ prepare: closingWindow }],
    ],
    ['refused by the signer, at once', 'INTERNAL', [{ prepare: mismatch, submit: neverSubmit }]],
    ['failing three times', 'INTERNAL', [{ prepare: broken, submit: neverSubmit }, undefined, 3]],
  ])('%s is rejected as %s with its decision', async (_case, code, args) => {
    const { spend, session } = await runOne(...args);
    expect(spend).toMatchObject({ status: 'rejected', code });
    expect(await rows.auditOf(spend.spendId)).toEqual([
      { correction: 0, decision: 'deny', reason: code },
    ]);
    expect(await isLaneFree(session)).toBe(true);
  });

  test('failing twice stays queued', async () => {
    const { spend } = await runOne({ prepare: broken, submit: neverSubmit }, undefined, 2);
    expect(spend).toMatchObject({ status: 'queued', attempt: 0 });
  });

  test.each<[string, unknown]>([
    ['the chain', new AppError('RPC_UNAVAILABLE', { method: 'getLatestBlockhash' })],
    ['the keystore', new AppError('KEYSTORE_UNAVAILABLE', {})],
    ['the database', Object.assign(new Error('away'), { code: 'ECONNREFUSED' })],
  ])('while %s is away stays queued, however often it is tried', async (_what, fault) => {
    const prepare: PrepareSpend = () => Promise.reject(fault);
    const { spend, lane } = await runOne({ prepare, submit: neverSubmit }, undefined, 5);
    expect(spend).toMatchObject({ status: 'queued', attempt: 0 });
    expect(await rows.auditOf(spend.spendId)).toEqual([]);
    expect(lane.nudged).toEqual([]);
  });

  test('does not hold up the one behind it', async () => {
    const { session, first: poisoned } = await queueMany(1);
    const good = await rows.accept(session);
    const lane = openLane({
      prepare: (read, spend) =>
        spend.spendId === poisoned.spendId ? mismatch(read, spend) : prepareAny(read, spend),
    });
    await lane.run(session);
    expect(lane.sent).toEqual([good.spendId]);
    await expectSpend(rows, good, { spendSeq: 1n });
  });

  test('gives its key back when it never had an attempt, and keeps it after one', async () => {
    expect(await keyOf((await runOne({}, overdue)).spend)).toBeNull();
    expect(await keyOf((await runOne({}, oldAgain)).spend)).toBe('k');
  });
});
