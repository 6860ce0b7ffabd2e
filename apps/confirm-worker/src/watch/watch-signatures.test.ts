import type { AttemptVerdict, SignatureStatus } from '@agent-wallet/chain';
import { createLogger } from '@agent-wallet/process';
import type { Database } from '@agent-wallet/db';
import { claimSpends, type Spend, type WatchedAttempt } from '@agent-wallet/spend';
import { sql } from 'slonik';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { holdLane } from '../../../../tests/support/database/lane-rows.ts';
import {
  newSignature,
  settlementOf,
  signedFor,
} from '../../../../tests/support/database/made-up-spends.ts';
import { openSpendRows, type SpendRows } from '../../../../tests/support/database/spend-rows.ts';
import { whileWalletHeld } from '../../../../tests/support/database/while-wallet-held.ts';
import { createMetrics } from '../metrics.ts';
import type { ResolveVerdict } from '../resolve/resolve-verdict.ts';
import { createWatchSignatures } from './watch-signatures.ts';

let rows: SpendRows;
beforeAll(async () => {
  rows = await openSpendRows();
});
beforeEach(async () => {
  await rows.db.query(sql.unsafe`delete from attempt_watch`);
});
afterAll(() => rows[Symbol.asyncDispose]());

const PENDING: AttemptVerdict = { kind: 'pending' };
const LANDED: AttemptVerdict = { kind: 'landed_ok', slot: 2_000n, finalized: false };

/** Resolves landings only. */
const resolveLanded: ResolveVerdict = async ({ attempt, verdict }) =>
  verdict.kind === 'landed_ok'
    ? settlementOf(attempt, { kind: 'landed_ok' }, attempt.attemptNo)
    : null;

const neverResolve = (): never => {
  throw new Error('must not be called');
};

type WatchDeps = Parameters<typeof createWatchSignatures>[0];
type Scene = {
  readonly verdict?: AttemptVerdict;
  readonly status?: SignatureStatus | null;
  readonly resolveAttempts?: WatchDeps['resolveAttempts'];
  readonly resolveVerdict?: ResolveVerdict;
  readonly rebroadcast?: WatchDeps['rebroadcast'];
  /** Signatures that a node has notified; without it no subscription is live. */
  readonly hinted?: readonly string[];
};

type Looked = {
  readonly looked: number;
  readonly resent: readonly string[];
  readonly nudged: readonly string[];
};

/** One pass over the attempts that are due. */
const look = (scene?: Scene): Promise<Looked> => createLook(scene)();

/** Passes of one worker. */
function createLook(scene: Scene = {}, db = rows.db): () => Promise<Looked> {
  let resent: string[] = [];
  let nudged: string[] = [];
  const { verdict = PENDING, status = null } = scene;
  const watch = createWatchSignatures({
    db,
    readLanded: async () => new Map(),
    resolveAttempts: async (attempts) => attempts.map((attempt) => ({ attempt, status, verdict })),
    resolveVerdict: resolveLanded,
    rebroadcast: async ({ spendId }) => {
      resent.push(spendId);
    },
    nudge: async (walletId) => {
      nudged.push(walletId);
    },
    hints: { areLive: () => scene.hinted !== undefined, take: () => scene.hinted ?? [] },
    log: createLogger({ name: 'test', level: 'silent' }),
    metrics: createMetrics(),
    ...(scene.resolveAttempts === undefined ? {} : { resolveAttempts: scene.resolveAttempts }),
    ...(scene.resolveVerdict === undefined ? {} : { resolveVerdict: scene.resolveVerdict }),
    ...(scene.rebroadcast === undefined ? {} : { rebroadcast: scene.rebroadcast }),
  });
  return async () => {
    [resent, nudged] = [[], []];
    return { looked: await watch(), resent, nudged };
  };
}

/** A claimed spend with a due attempt of this age. */
async function due(storedSecondsAgo = 1): Promise<Spend> {
  const spend = await rows.accept(await rows.createSession());
  await rows.claim(spend);
  await rows.db.query(sql.unsafe`
    update attempt set stored_at = now() - ${storedSecondsAgo} * interval '1 s'
    where spend_id = ${spend.spendId}::uuid
  `);
  await rows.setWatch(spend.spendId, sql.fragment`look_at = now()`);
  return rows.read(spend.spendId);
}

/** Claimed spends of one session, all with a due attempt that is old enough to be sent again. */
async function dueTogether(count: number): Promise<readonly Spend[]> {
  const session = await rows.createSession();
  const spends: Spend[] = [];
  for (let place = 0; place < count; place += 1) spends.push(await rows.accept(session));
  const { sessionId, walletId } = session;
  const fence = await holdLane(rows.db, sessionId);
  const claims = spends.map((spend, place) => ({
    spend,
    signed: signedFor(spend, BigInt(place + 1)),
  }));
  await claimSpends(rows.db, walletId, [{ sessionId, fence, claims, thenRelease: true }]);
  await rows.db.query(sql.unsafe`update attempt set stored_at = now() - interval '4 s'`);
  await rows.db.query(sql.unsafe`update attempt_watch set look_at = now()`);
  return Promise.all(spends.map(({ spendId }) => rows.read(spendId)));
}

const watchRow = z.object({ isLeased: z.boolean(), inMs: z.number() });
/** When the attempt is looked at next; null once it is no longer watched. */
const readWatch = ({ spendId }: Spend): Promise<z.output<typeof watchRow> | null> =>
  rows.db.maybeOne(sql.type(watchRow)`
    select watch_until > now() as "isLeased",
      (extract(epoch from look_at - now()) * 1000)::float8 as "inMs"
    from attempt_watch where spend_id = ${spendId}::uuid
  `);
const nextLookInMs = async (spend: Spend): Promise<number> =>
  (await readWatch(spend))?.inMs ?? Number.NaN;

describe('a pass', () => {
  test('without due attempts reads nothing from the chain', async () => {
    expect(await look({ resolveAttempts: neverResolve })).toEqual({
      looked: 0,
      resent: [],
      nudged: [],
    });
  });

  test('settles a landing, and nudges no lane in which nothing is queued', async () => {
    const spend = await due();
    const { looked, nudged } = await look({ verdict: LANDED });
    expect([looked, nudged]).toEqual([1, []]);
    expect(await rows.read(spend.spendId)).toMatchObject({ status: 'confirmed' });
    expect(await readWatch(spend)).toBeNull();
  });

  test('that cannot read the chain returns the leases, due at once, and throws', async () => {
    const spend = await due(60);
    const away = look({ resolveAttempts: () => Promise.reject(new Error('RPC is away')) });
    await expect(away).rejects.toThrow('RPC is away');
    expect(await rows.read(spend.spendId)).toEqual(spend);
    expect(await readWatch(spend)).toMatchObject({ isLeased: false });
    expect(await nextLookInMs(spend)).toBeLessThanOrEqual(0);
    expect((await look()).looked).toBe(1);
  });

  test('leaves an attempt open whose verdict cannot be resolved, and settles the others', async () => {
    const [first, second] = [await due(), await due()];
    const { looked } = await look({
      verdict: LANDED,
      resolveVerdict: (judged) =>
        judged.attempt.spendId === first.spendId
          ? Promise.reject(new Error('RPC is away'))
          : resolveLanded(judged),
    });
    expect(looked).toBe(2);
    expect(await rows.read(first.spendId)).toEqual(first);
    expect(await readWatch(first)).toMatchObject({ isLeased: false });
    expect(await rows.read(second.spendId)).toMatchObject({ status: 'confirmed' });
  });

  test('whose leases the database does not take back gives them back with the next', async () => {
    const spend = await due();
    let isAway = true;
    const query: Database['query'] = (...call) =>
      isAway ? Promise.reject(new Error('the database is away')) : rows.db.query(...call);
    const lookOn = createLook({}, { ...rows.db, query });
    await expect(lookOn()).rejects.toThrow('the database is away');
    expect(await readWatch(spend)).toMatchObject({ isLeased: true });
    isAway = false;
    await lookOn();
    expect(await readWatch(spend)).toMatchObject({ isLeased: false });
  });

  test('over several spends of a session with a queued one nudges its lane once', async () => {
    const session = await rows.createSession();
    for (const spend of [await rows.accept(session), await rows.accept(session)])
      await rows.claim(spend);
    await rows.accept(session);
    await rows.db.query(sql.unsafe`
      update attempt_watch set look_at = now()
    `);
    expect((await look({ verdict: LANDED })).nudged).toEqual([session.walletId]);
  });
});

const FAULT = new Error('always');
const is = (spend: Spend | undefined, { spendId }: WatchedAttempt): boolean =>
  spendId === spend?.spendId;

describe('attempts that always fail, among 256', () => {
  test('are backed off by themselves, and the others settle', async () => {
    const spends = await dueTogether(256);
    const [unread, unresolved, unsent, unwritten] = spends;
    if (unwritten === undefined) throw new Error('too few');
    await rows.blockDecision(unwritten);
    const lookOn = createLook({
      resolveAttempts: async (attempts) =>
        attempts.map((attempt) => {
          const isOpen = is(unread, attempt) || is(unsent, attempt);
          const resolved = { attempt, status: null, verdict: isOpen ? PENDING : LANDED };
          return is(unread, attempt) ? { ...resolved, fault: FAULT } : resolved;
        }),
      resolveVerdict: async (resolved) => {
        if (is(unresolved, resolved.attempt)) throw FAULT;
        return resolveLanded(resolved);
      },
      rebroadcast: async (attempt) => {
        if (is(unsent, attempt)) throw FAULT;
      },
    });
    expect((await lookOn()).looked).toBe(256);
    const poison = spends.slice(0, 4);
    const left = await rows.db.any(sql.type(z.object({ spendId: z.string() }))`
      select spend_id as "spendId" from attempt_watch
    `);
    expect(left.map(({ spendId }) => spendId).toSorted()).toEqual(
      poison.map(({ spendId }) => spendId).toSorted(),
    );
    for (const spend of poison) {
      expect(await readWatch(spend)).toMatchObject({ isLeased: false });
    }
    // After six failures in a row the pause is 8 s, which leaves a slow machine time to read it.
    for (const _ of [1, 2, 3, 4, 5]) {
      await rows.db.query(sql.unsafe`update attempt_watch set look_at = now()`);
      expect((await lookOn()).looked).toBe(4);
    }
    for (const spend of poison) expect(await nextLookInMs(spend)).toBeGreaterThan(1_000);
  });
});

test('an outcome of a wallet that is busy is looked at again at once', async () => {
  const [busy, other] = [await due(), await due()];
  const { looked } = await whileWalletHeld(rows.db, busy, () => look({ verdict: LANDED }));
  expect(looked).toBe(2);
  expect(await rows.read(other.spendId)).toMatchObject({ status: 'confirmed' });
  expect(await rows.read(busy.spendId)).toEqual(busy);
  expect(await readWatch(busy)).toMatchObject({ isLeased: false });
  expect(await nextLookInMs(busy)).toBeLessThan(1_000);
});

describe('while subscriptions are live', () => {
  test('a landing with a notification is looked at at once', async () => {
    const spend = await rows.accept(await rows.createSession());
    const { signature } = await rows.claim(spend);
    expect((await look({ verdict: LANDED, hinted: [signature ?? ''] })).looked).toBe(1);
    expect(await rows.read(spend.spendId)).toMatchObject({ status: 'confirmed' });
  });

  test('a notification of a foreign landing changes nothing', async () => {
    const scene = { resolveAttempts: neverResolve, hinted: [newSignature()] };
    expect((await look(scene)).looked).toBe(0);
  });

  test('a due attempt waits a second for its hint, and is looked at without one', async () => {
    const spend = await due();
    expect((await look({ verdict: LANDED, hinted: [] })).looked).toBe(0);
    await rows.setWatch(spend.spendId, sql.fragment`look_at = now() - interval '1 second'`);
    expect((await look({ verdict: LANDED, hinted: [] })).looked).toBe(1);
    expect(await rows.read(spend.spendId)).toMatchObject({ status: 'confirmed' });
  });

  test('an attempt with a hint that the node does not show yet is looked at again soon', async () => {
    const spend = await due();
    await look({ hinted: [spend.txSignature ?? ''] });
    await rows.setWatch(spend.spendId, sql.fragment`look_at = look_at - interval '150 ms'`);
    expect((await look({ verdict: LANDED, hinted: [] })).looked).toBe(1);
  });
});

describe('an open attempt', () => {
  test('is sent again once it is old enough', async () => {
    const [young, old] = [await due(0.2), await due(4)];
    expect((await look()).resent).toEqual([old.spendId]);
    expect(await readWatch(young)).not.toBeNull();
  });

  test.each<[string, Scene]>([
    ['a node has seen it', { status: { slot: 1n, err: null, confirmationStatus: 'processed' } }],
    [
      'it landed with an error that cannot be read yet',
      {
        status: { slot: 1n, err: 'x', confirmationStatus: 'confirmed' },
        verdict: { kind: 'landed_error', slot: 1n, finalized: false },
      },
    ],
    ['its bit is set', { verdict: { kind: 'find_landing', slot: 1n } }],
    [
      'only the history can tell',
      { verdict: { kind: 'search_history', why: 'session_gone', slot: 1n } },
    ],
  ])('is not sent again when %s', async (_case, scene) => {
    await due(10);
    expect((await look(scene)).resent).toEqual([]);
  });

  test('is due less often the older it is', async () => {
    const spends = [await due(0), await due(5), await due(60)];
    await look();
    const waits = await Promise.all(spends.map(nextLookInMs));
    expect(waits).toEqual(waits.toSorted((a, b) => a - b));
    expect(Math.max(...waits)).toBeLessThanOrEqual(1_000);
  });

  test('of a refused spend is due seldom and never sent', async () => {
    const spend = await due(10);
    await rows.db.query(sql.unsafe`
      update spend set status = 'rejected', code = 'X', settled_at = now()
      where spend_id = ${spend.spendId}::uuid
    `);
    expect(await look()).toMatchObject({ looked: 1, resent: [] });
    expect(await nextLookInMs(spend)).toBeGreaterThan(1_000);
  });
});
