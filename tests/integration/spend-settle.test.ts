import {
  leaseAttempts,
  listUnfinalized,
  postponeAttempts,
  readLane,
  settleAttempts,
  SPEND_SETTLED,
  type Settlement,
  type Spend,
} from '@agent-wallet/spend';
import { verifyAudit } from '@agent-wallet/audit';
import { createListener } from '@agent-wallet/db';
import { sql } from 'slonik';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { failOnFailure, settlementOf } from '../support/database/made-up-spends.ts';
import { expectSpend, type RowSession, useSpendRows } from '../support/database/spend-rows.ts';
import { finalize } from '../support/database/spend-states.ts';
import { whileWalletHeld } from '../support/database/while-wallet-held.ts';

const rows = await useSpendRows();

const claimed = (session?: RowSession): Promise<Spend> => rows.spendIn('in flight', session);
const settle = (...settlements: Settlement[]): ReturnType<typeof settleAttempts> =>
  settleAttempts(rows.db, settlements, { onFailure: failOnFailure });

async function claimMany(count: number, session: RowSession): Promise<readonly Spend[]> {
  const spends: Spend[] = [];
  for (let index = 0; index < count; index += 1) spends.push(await claimed(session));
  return spends;
}

const landedOk = (spend: Spend, slot = 2_000n): Settlement =>
  settlementOf(spend, { kind: 'landed_ok', slot }, spend.attempt);

describe('a proven expiry', () => {
  test.each([
    [175, 'queued', []],
    [185, 'rejected', [{ correction: 0, decision: 'deny', reason: 'NEVER_LANDED' }]],
  ] as const)('%i s after acceptance: %s', async (ageSeconds, status, audit) => {
    const spend = await claimed();
    await rows.age(spend.spendId, ageSeconds);
    await rows.settle(spend, { kind: 'expired' });
    await expectSpend(rows, spend, { status, txSignature: null });
    expect(await rows.auditOf(spend.spendId)).toEqual(audit);
  });

  test('is announced as a transition only to the one who wrote it', async () => {
    const spend = await claimed();
    const expired = settlementOf(spend, { kind: 'expired' }, 1);
    const transitions = await Promise.all([1, 2, 3].map(() => settle(expired)));
    const taken = transitions.flat().map(({ transition }) => transition);
    expect(taken.filter((transition) => transition !== null)).toEqual(['requeued']);
  });
});

describe('a landing', () => {
  test('seen by ten watchers at once is one decision', async () => {
    const spend = await claimed();
    // On a slow machine the last ones may find the wallet busy.
    const handlers = { onFailure: failOnFailure, onBusy: () => {} };
    const settleOnce = () => settleAttempts(rows.db, [landedOk(spend)], handlers);
    const settled = await Promise.all(Array.from({ length: 10 }, settleOnce));
    expect(settled.flat().flatMap(({ transition }) => transition ?? [])).toEqual(['confirmed']);
    expect(await rows.auditOf(spend.spendId)).toHaveLength(1);
  });

  test('keeps the signature that landed, also of an older attempt', async () => {
    const spend = await claimed();
    await rows.settle(spend, { kind: 'expired' });
    await rows.claim(spend);
    await settle(landedOk(spend));
    await expectSpend(rows, spend, {
      status: 'confirmed',
      txSignature: spend.txSignature,
      landedSlot: 2_000n,
    });
  });

  test('moves the slot that balances must reach forward, never back', async () => {
    const session = await rows.createSession();
    for (const slot of [2_000n, 3_000n, 2_500n]) {
      await settle(landedOk(await claimed(session), slot));
    }
    const read = await readLane(rows.db, session.sessionId, 0);
    expect(read?.lane.lastSettledSlot).toBe(3_000n);
  });

  test('with an error is denied with the signature of the failed transaction beside', async () => {
    const spend = await claimed();
    await rows.settle(spend, { kind: 'landed_error' });
    const [row] = await rows.db.any(sql.type(
      z.object({ txSignature: z.string().nullable(), detailSignature: z.string().nullable() }),
    )`
      select tx_signature as "txSignature", detail_signature as "detailSignature" from audit
      where spend_id = ${spend.spendId}::uuid
    `);
    expect(row).toEqual({ txSignature: null, detailSignature: spend.txSignature });
  });
});

describe('the landings of a wallet', () => {
  test('are one batch: decisions in one chain, and the newest slot', async () => {
    const session = await rows.createSession();
    const spends = await claimMany(5, session);
    const settled = await settle(
      ...spends.map((spend, index) => landedOk(spend, 2_000n + BigInt(index % 3))),
    );
    expect(settled.map(({ transition }) => transition)).toEqual(Array(5).fill('confirmed'));
    for (const spend of spends) {
      await expectSpend(rows, spend, { status: 'confirmed', txSignature: spend.txSignature });
      expect(await rows.auditOf(spend.spendId)).toEqual([
        { correction: 0, decision: 'allow', reason: null },
      ]);
    }
    expect(await verifyAudit(rows.db, session.walletId)).toEqual({ kind: 'intact', rows: 5n });
    expect((await readLane(rows.db, session.sessionId, 0))?.lane.lastSettledSlot).toBe(2_002n);
    expect(
      await rows.db.any(sql.unsafe`
      select 1 from attempt join attempt_watch using (spend_id)
      where session_id = ${session.sessionId}::uuid
    `),
    ).toEqual([]);
  });

  test('have the hash of their texts, whatever these contain', async () => {
    const session = await rows.createSession();
    const url = 'https://a.example/"\\\b\f\n\r\t\u0001\u001f\u007f\u2028/é😀%s';
    for (const recipient of [null, 'recipient']) {
      await settle(landedOk(await rows.spendIn('in flight', session, { url, recipient })));
    }
    expect(await verifyAudit(rows.db, session.walletId)).toEqual({ kind: 'intact', rows: 2n });
  });

  test('are written beside the other outcomes of the batch', async () => {
    const session = await rows.createSession();
    const [landed, failed, corrected] = await claimMany(3, session);
    if (landed === undefined || failed === undefined || corrected === undefined) return;
    await rows.settle(corrected, { kind: 'never_lands' });
    const settled = await settle(
      landedOk(landed),
      settlementOf(failed, { kind: 'landed_error' }, 1),
      landedOk(corrected),
    );
    const transitions = new Map(settled.map(({ spendId, transition }) => [spendId, transition]));
    expect(transitions).toEqual(
      new Map([
        [landed.spendId, 'confirmed'],
        [failed.spendId, 'reverted'],
        [corrected.spendId, 'corrected'],
      ]),
    );
    expect(await verifyAudit(rows.db, session.walletId)).toEqual({ kind: 'intact', rows: 4n });
  });

  test('say whether a spend of their session waits for its lane', async () => {
    const [waiting, idle] = [await rows.createSession(), await rows.createSession()];
    const spends = [await claimed(waiting), await claimed(idle)];
    await rows.accept(waiting);
    const settled = await settle(...spends.map((spend) => landedOk(spend)));
    const hasQueued = new Map(settled.map((one) => [one.sessionId, one.hasQueued]));
    expect(hasQueued).toEqual(
      new Map([
        [waiting.sessionId, true],
        [idle.sessionId, false],
      ]),
    );
  });

  test('wait for no lock of another wallet', async () => {
    const [busy, other] = [await claimed(), await claimed()];
    const refused: string[] = [];
    const handlers = {
      onFailure: failOnFailure,
      onBusy: (settlements: readonly Settlement[]) =>
        refused.push(...settlements.map(({ spendId }) => spendId)),
    };
    const settlements = [landedOk(busy), landedOk(other)];
    const settled = await whileWalletHeld(rows.db, busy, () =>
      settleAttempts(rows.db, settlements, handlers),
    );
    expect(settled.map(({ spendId }) => spendId)).toEqual([other.spendId]);
    expect(refused).toEqual([busy.spendId]);
    expect(await rows.read(busy.spendId)).toEqual(busy);
    const again = await settleAttempts(rows.db, settlements, handlers);
    expect(again.flatMap(({ transition }) => transition ?? [])).toEqual(['confirmed']);
  });

  test('are announced when they are committed, and not before', async () => {
    const session = await rows.createSession();
    const spends = await claimMany(3, session);
    const heard: string[] = [];
    const listening = Promise.withResolvers<void>();
    const settled = Promise.withResolvers<void>();
    const listener = createListener({
      url: rows.url,
      channel: SPEND_SETTLED,
      onConnected: listening.resolve,
      onNotify: (payload) => {
        heard.push(payload);
        settled.resolve();
      },
    });
    await listening.promise;
    const bad = await claimed(session);
    await rows.blockDecision(bad);
    await settleAttempts(rows.db, [landedOk(bad)], { onFailure: () => undefined });
    await settle(...spends.map((spend) => landedOk(spend)));
    await settled.promise;
    await listener.close();
    const told = heard.map((payload) => new Set(z.array(z.string()).parse(JSON.parse(payload))));
    expect(told).toEqual([new Set(spends.map(({ spendId }) => spendId))]);
  });
});

describe('corrections', () => {
  test('stand beside the decision and are numbered', async () => {
    const spend = await claimed();
    await rows.settle(spend, { kind: 'never_lands' });
    await rows.settle(spend, { kind: 'landed_ok' });
    // A second fork: the landing is gone and the row is refused once more.
    await rows.setSpend(spend.spendId, sql.fragment`status = 'rejected', code = 'FORKED_OUT'`);
    await rows.settle(spend, { kind: 'landed_ok' });
    expect(await rows.auditOf(spend.spendId)).toEqual([
      { correction: 0, decision: 'deny', reason: 'NEVER_LANDED' },
      { correction: 1, decision: 'allow', reason: 'LANDED_AFTER_REJECT' },
      { correction: 2, decision: 'allow', reason: 'LANDED_AFTER_REJECT' },
    ]);
    expect(await verifyAudit(rows.db, spend.walletId)).toMatchObject({ kind: 'intact' });
  });

  test('after a revert say so', async () => {
    const spend = await claimed();
    await rows.settle(spend, { kind: 'landed_error' });
    const [corrected] = await settle(landedOk(spend));
    expect(corrected).toMatchObject({ transition: 'corrected' });
    expect(await rows.auditOf(spend.spendId)).toEqual([
      { correction: 0, decision: 'deny', reason: 'DailyCapExceeded' },
      { correction: 1, decision: 'allow', reason: 'LANDED_AFTER_REVERT' },
    ]);
  });
});

describe('a batch', () => {
  test('is not held up by a row that cannot be written', async () => {
    const session = await rows.createSession();
    const elsewhere = await claimed();
    const good = await claimed(session);
    const bad = await claimed(session);
    const last = await claimed(session);
    await rows.blockDecision(bad);
    const failed: string[] = [];
    const settled = await settleAttempts(
      rows.db,
      [bad, good, elsewhere, last].map((spend) => landedOk(spend)),
      { onFailure: ({ spendId }) => failed.push(spendId) },
    );
    expect(failed).toEqual([bad.spendId]);
    expect(new Set(settled.map(({ spendId }) => spendId))).toEqual(
      new Set([good.spendId, elsewhere.spendId, last.spendId]),
    );
    for (const { spendId } of [good, elsewhere, last]) {
      await expectSpend(rows, { spendId }, { status: 'confirmed' });
      expect(await rows.auditOf(spendId)).toHaveLength(1);
    }
    expect(await rows.read(bad.spendId)).toEqual(bad);
  });

  test('over two wallets in opposite order by two watchers meets no deadlock', async () => {
    const [one, two] = [await rows.createSession(), await rows.createSession()];
    const spends = await Promise.all([one, two].map((session) => claimMany(10, session)));
    const settlements = spends.flat().map((spend) => landedOk(spend));
    await Promise.all([settle(...settlements), settle(...settlements.toReversed())]);
    for (const { walletId } of [one, two]) {
      expect(await verifyAudit(rows.db, walletId)).toEqual({ kind: 'intact', rows: 10n });
    }
  });
});

const makeDue = ({ spendId }: Spend): Promise<void> =>
  rows.setWatch(spendId, sql.fragment`look_at = now()`);

describe('watched attempts', () => {
  const lease = { leaseMs: 10_000, limit: 1_000 };

  async function leased(spend: Spend): Promise<number> {
    const attempts = await leaseAttempts(rows.db, lease);
    return attempts.filter(({ spendId }) => spendId === spend.spendId).length;
  }

  test('are first due a little after they were stored', async () => {
    const spend = await claimed();
    expect(await leased(spend)).toBe(0);
    await makeDue(spend);
    expect(await leased(spend)).toBe(1);
  });

  test('belong to one watcher until they are given back or the lease ends', async () => {
    const spend = await claimed();
    await makeDue(spend);
    expect(await leased(spend)).toBe(1);
    expect(await leased(spend)).toBe(0);
    await postponeAttempts(rows.db, [{ spendId: spend.spendId, attemptNo: 1, lookInMs: 0 }]);
    expect(await leased(spend)).toBe(1);
    await rows.setWatch(spend.spendId, sql.fragment`watch_until = now() - interval '1 ms'`);
    expect(await leased(spend)).toBe(1);
  });

  test('are shared out without being given twice', async () => {
    for (const spend of await claimMany(12, await rows.createSession())) await makeDue(spend);
    const batches = await Promise.all(
      Array.from({ length: 4 }, () => leaseAttempts(rows.db, { ...lease, limit: 3 })),
    );
    const given = batches.flat().map(({ signature }) => signature);
    expect(new Set(given).size).toBe(given.length);
    expect(given.length).toBeGreaterThan(0);
  });

  test('are no longer watched once the chain has decided', async () => {
    const spend = await rows.spendIn('confirmed');
    await makeDue(spend);
    expect(await leased(spend)).toBe(0);
  });

  test('know the oldest blockhash of their spend', async () => {
    const spend = await rows.spendIn('in flight, second attempt');
    await rows.db.query(sql.unsafe`
      update attempt set blockhash_slot = 700 where spend_id = ${spend.spendId}::uuid
        and attempt = 1
    `);
    await makeDue(spend);
    const attempts = await leaseAttempts(rows.db, lease);
    const watched = attempts.find(({ spendId }) => spendId === spend.spendId);
    expect(watched).toMatchObject({ attemptNo: 2, sinceSlot: 700n });
  });
});

test('a landing is listed for finality once it is old enough, and only once final', async () => {
  const spend = await rows.spendIn('confirmed');
  const listed = async (settledMsAgo: number): Promise<boolean> => {
    const landed = await listUnfinalized(rows.db, { settledMsAgo, limit: 1_000 });
    return landed.some(({ spendId }) => spendId === spend.spendId);
  };
  expect(await listed(60_000)).toBe(false);
  expect(await listed(-1_000)).toBe(true);
  await finalize(rows, spend.spendId);
  expect(await listed(-1_000)).toBe(false);
  const { finalizedAt } = await rows.read(spend.spendId);
  await finalize(rows, spend.spendId);
  expect((await rows.read(spend.spendId)).finalizedAt).toEqual(finalizedAt);
});
