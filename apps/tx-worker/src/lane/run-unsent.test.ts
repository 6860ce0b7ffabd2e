import { AppError } from '@agent-wallet/errors';
import { nextRetryId, type Spend } from '@agent-wallet/spend';
import { sql } from 'slonik';
import { describe, expect, test } from 'vitest';
import {
  expectSpend,
  type RowSession,
  useSpendRows,
} from '../../../../tests/support/database/spend-rows.ts';
import { SPEND_STATES } from '../../../../tests/support/database/spend-states.ts';
import {
  type LaneDeps,
  neverPrepare,
  neverSubmit,
  prepareAny,
  queueMany,
  startLanes,
  type TestLanes,
} from '../../fixtures/lanes.ts';
import type { PrepareSpend } from '../sign/prepare-spend.ts';
import { isLaneFree } from '../../../../tests/support/database/lane-rows.ts';

const rows = await useSpendRows();

async function setTimeWindow(
  { walletId }: Pick<RowSession, 'walletId'>,
  timeWindow: unknown,
): Promise<void> {
  await rows.db.query(sql.unsafe`
    insert into wallet_policy (wallet_id, version, time_window)
    values (${walletId}::uuid, 1, ${JSON.stringify(timeWindow)}::jsonb)
  `);
}

async function runOne(
  change: Partial<LaneDeps>,
  prepareRows: (session: RowSession, spend: Spend) => Promise<void> = async () => {},
  runs = 1,
): Promise<{ spend: Spend; lane: TestLanes; session: RowSession }> {
  const session = await rows.createSession();
  const spend = await rows.accept(session, {
    idempotencyKey: 'k',
    requestDigest: Buffer.from('d'),
  });
  await prepareRows(session, spend);
  const lane = startLanes(rows, change);
  for (let run = 0; run < runs; run += 1) await lane.run(session);
  return { spend: await rows.read(spend.spendId), lane, session };
}

const overdue = (_session: RowSession, { spendId }: Spend): Promise<void> =>
  rows.setSpend(spendId, sql.fragment`not_after = now()`);

const oldAgain = async (_session: RowSession, spend: Spend): Promise<void> => {
  await SPEND_STATES['queued again'](rows, spend);
  await rows.age(spend.spendId, 200);
};

const paidBefore = (session: RowSession, { spendId }: Spend): Promise<void> =>
  rows.landed(session, nextRetryId(spendId));

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
    expect(await isLaneFree(rows.db, session)).toBe(true);
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
    const { session, first: poisoned } = await queueMany(rows, 1);
    const good = await rows.accept(session);
    const lane = startLanes(rows, {
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
