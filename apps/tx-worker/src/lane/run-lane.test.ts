import { setImmediate as endOfTick } from 'node:timers/promises';
import type { Send } from '@agent-wallet/chain';
import { AppError } from '@agent-wallet/errors';
import { sql } from 'slonik';
import { describe, expect, test } from 'vitest';
import { holdLane, isLaneFree } from '../../../../tests/support/database/lane-rows.ts';
import { expectSpend, useSpendRows } from '../../../../tests/support/database/spend-rows.ts';
import {
  idsOf,
  MAX_PER_TX_EXCEEDED,
  neverPrepare,
  neverSubmit,
  prepareAny,
  queueMany,
  roomy,
  startLanes,
} from '../../fixtures/lanes.ts';

const rows = await useSpendRows();

describe('a run', () => {
  test('claims in the order of acceptance with numbers in that order, then frees the lane', async () => {
    const { session, spends } = await queueMany(rows, 5);
    const lane = startLanes(rows);
    await lane.run(session);
    expect(lane.sent).toEqual(idsOf(spends));
    for (const [index, { spendId }] of spends.entries()) {
      const spendSeq = BigInt(index + 1);
      await expectSpend(rows, { spendId }, { status: 'in_flight', attempt: 1, spendSeq });
    }
    expect(await isLaneFree(rows.db, session)).toBe(true);
    expect(lane.nudged).toEqual([]);
  });

  test('puts no more in flight than the depth', async () => {
    const { session, spends, first } = await queueMany(rows, 4);
    const lane = startLanes(rows, { depth: 2 });
    await lane.run(session);
    expect(lane.sent).toEqual(idsOf(spends).slice(0, 2));
    await lane.run(session);
    expect(lane.sent).toHaveLength(2);
    await rows.settle(first, { kind: 'landed_ok' });
    await lane.run(session);
    expect(lane.sent).toEqual(idsOf(spends).slice(0, 3));
  });

  test('sends nothing while the session cannot be read, and says so', async () => {
    const { session, first } = await queueMany(rows, 1);
    const away = new AppError('RPC_UNAVAILABLE', { method: 'getMultipleAccounts' });
    const lane = startLanes(rows, {
      readChainView: () => Promise.reject(away),
      prepare: neverPrepare,
    });
    await lane.run(session);
    expect(await rows.read(first.spendId)).toEqual(first);
    expect(lane.nudged).toEqual([]);
    expect(await isLaneFree(rows.db, session)).toBe(true);
  });

  test('sends nothing once it detects a restore', async () => {
    const { session } = await queueMany(rows, 1);
    const lane = startLanes(rows, { detectRestore: async () => true, prepare: neverPrepare });
    await lane.run(session);
    expect(lane.nudged).toEqual([]);
    expect(await isLaneFree(rows.db, session)).toBe(true);
  });

  test.each([
    ['does not fit beside it', { ...roomy, liquid: 199n }],
    ['cannot be compared with the chain', null],
  ])('lets what is in flight settle first when the next %s', async (_case, view) => {
    const { session } = await queueMany(rows, 2);
    const lane = startLanes(rows, { readChainView: async () => view });
    await lane.run(session);
    expect(lane.sent).toHaveLength(1);
  });

  test('ends after 96 claims, sends 64 at once, and requests another run', async () => {
    const { session } = await queueMany(rows, 97);
    let sending = 0;
    let mostAtOnce = 0;
    const send: Send = async () => {
      sending += 1;
      mostAtOnce = Math.max(mostAtOnce, sending);
      await endOfTick();
      sending -= 1;
      return { kind: 'accepted', signature: 'x' };
    };
    const lane = startLanes(rows, { depth: 100, send });
    await lane.run(session);
    expect(lane.sent).toHaveLength(96);
    expect(mostAtOnce).toBe(64);
    expect(lane.nudged).toEqual([session.walletId]);
    expect(await isLaneFree(rows.db, session)).toBe(true);
  });

  test('leaves a lane alone that another worker holds', async () => {
    const { session, first } = await queueMany(rows, 1);
    await holdLane(rows.db, session.sessionId);
    const lane = startLanes(rows, { prepare: neverPrepare, submit: neverSubmit });
    await lane.run(session);
    expect(await rows.read(first.spendId)).toEqual(first);
    expect(await isLaneFree(rows.db, session)).toBe(false);
  });

  test('that lost its lease stops, and does not free the lane of the next holder', async () => {
    const { session, spends } = await queueMany(rows, 3);
    const lane = startLanes(rows, {
      prepare: async (read, spend) => {
        await rows.setLane(read.sessionId, sql.fragment`lease_until = '-infinity'`);
        await holdLane(rows.db, read.sessionId);
        return prepareAny(read, spend);
      },
    });
    await lane.run(session);
    expect(lane.sent).toEqual([]);
    for (const spend of spends) expect(await rows.read(spend.spendId)).toEqual(spend);
    expect(await isLaneFree(rows.db, session)).toBe(false);
  });

  test('builds again when its number was taken meanwhile', async () => {
    const { session, first } = await queueMany(rows, 1);
    let isFirst = true;
    const lane = startLanes(rows, {
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
    const { session } = await queueMany(rows, 1);
    const lane = startLanes(rows, { submit: () => Promise.reject(new Error('for the test')) });
    await lane.run(session);
    expect(await lane.faults()).toEqual({ run: 1 });
    expect(await isLaneFree(rows.db, session)).toBe(true);
  });

  test('frees the lane before its sends have ended', async () => {
    const { session } = await queueMany(rows, 2);
    const answer = Promise.withResolvers<Awaited<ReturnType<Send>>>();
    const { begin } = startLanes(rows, { send: () => answer.promise });
    const { rest } = await begin(session);
    expect(await isLaneFree(rows.db, session)).toBe(true);
    answer.resolve({ kind: 'accepted', signature: 'x' });
    await rest;
  });

  test('that could not store a batch stores the spends that can be stored alone', async () => {
    const { session, spends } = await queueMany(rows, 3);
    const tooLong = spends[1]?.spendId;
    const lane = startLanes(rows, {
      prepare: async (read, spend) => {
        const prepared = await prepareAny(read, spend);
        if (spend.spendId !== tooLong || prepared.kind !== 'signed') return prepared;
        return { ...prepared, signed: { ...prepared.signed, wire: new Uint8Array(1_233) } };
      },
    });
    await lane.run(session);
    expect(await lane.faults()).toEqual({ run: 1 });
    expect(lane.sent).toEqual(idsOf(spends).slice(0, 1));
    expect(await isLaneFree(rows.db, session)).toBe(true);
  });

  test('whose refused spend makes room for others requests another run', async () => {
    const { session } = await queueMany(rows, 2);
    const lane = startLanes(rows, { send: async () => MAX_PER_TX_EXCEEDED, depth: 1 });
    await lane.run(session);
    expect(lane.nudged).toEqual([session.walletId]);
  });

  test('waits while the oldest open number lags 128 behind', async () => {
    const session = await rows.createSession();
    await rows.spendIn('in flight', session);
    const next = await rows.accept(session);
    await rows.setSession(session.sessionId, sql.fragment`next_seq = 129`);
    const lane = startLanes(rows, { prepare: neverPrepare });
    await lane.run(session);
    await expectSpend(rows, next, { status: 'queued' });
    await rows.setSession(session.sessionId, sql.fragment`next_seq = 128`);
    const other = startLanes(rows);
    await other.run(session);
    expect(other.sent).toEqual([next.spendId]);
  });
});
