import { randomBytes } from 'node:crypto';
import type { AttemptVerdict, ChainTransaction, ProgramEvent, Rpc } from '@agent-wallet/chain';
import { createLogger } from '@agent-wallet/process';
import type { Settlement, WatchedAttempt } from '@agent-wallet/spend';
import bs58 from 'bs58';
import { describe, expect, test } from 'vitest';
import { chainTransaction as transaction } from '../../../../tests/support/chain/scripted-chain.ts';
import { failedWith, program } from '../../fixtures/chain.ts';
import { watchedAttempt } from '../../fixtures/watched-attempt.ts';
import { createMetrics } from '../metrics.ts';
import { createResolveVerdict } from './resolve-verdict.ts';

const MINE = watchedAttempt();
const OTHER_SPEND = 'f'.repeat(32);
const SESSION_SIGNATURE = randomBytes(64);
/** Two signatures, the first still missing, and a message. */
const WIRE = Buffer.concat([
  Buffer.from([2]),
  Buffer.alloc(64),
  SESSION_SIGNATURE,
  randomBytes(99),
]);

const landing = (spendId = MINE.spendId.replaceAll('-', '')): ProgramEvent => ({
  name: 'UsdcTransferred',
  data: { session: 'session pda', session_index: 3n, spend_seq: 5n, spend_id: spendId },
  instructionIndex: 0,
  innerIndex: 0,
});

/** The events of a listed transaction; null when the node cannot show it. */
type Events = readonly ProgramEvent[] | null;

/** A node's history of the session: signatures with the events of their transactions. */
type Node = {
  readonly history?: readonly { readonly signature: string; readonly events: Events }[];
  /** Failed transactions by signature. */
  readonly failed?: Readonly<Record<string, ChainTransaction>>;
  readonly own?: ChainTransaction | null;
  readonly slot?: bigint;
  readonly isDown?: boolean;
};

/** Resolves verdicts over these nodes, with a clock that the test moves. */
function resolveOver(nodes: readonly Node[]): {
  readonly resolve: (
    verdict: AttemptVerdict,
    attempt?: WatchedAttempt,
  ) => Promise<Settlement | null>;
  readonly clock: { nowMs: number };
  readonly alerts: () => Promise<readonly string[]>;
} {
  const clock = { nowMs: 0 };
  const metrics = createMetrics();
  const events = new Map<ChainTransaction, readonly ProgramEvent[]>();
  const endpoints = nodes.map((node, index) => {
    const answered = <T>(value: T): Promise<T> =>
      node.isDown ? Promise.reject(new Error('down')) : Promise.resolve(value);
    const rpc: Pick<Rpc, 'slot' | 'signaturesFor' | 'transaction'> = {
      slot: () => answered(node.slot ?? 3_000n),
      signaturesFor: () =>
        answered([
          ...(node.history ?? []).map(({ signature }) => ({ signature, slot: 1_600n, err: null })),
          ...Object.entries(node.failed ?? {}).map(([signature, { err, slot }]) => ({
            signature,
            slot,
            err,
          })),
        ]),
      transaction: (signature) => {
        const failed = node.failed?.[signature];
        if (failed !== undefined) return answered(failed);
        const entry = node.history?.find((candidate) => candidate.signature === signature);
        if (entry === undefined) return answered(node.own ?? null);
        if (entry.events === null) return answered(null);
        const found = transaction({ slot: 1_600n });
        events.set(found, entry.events);
        return answered(found);
      },
    };
    // Only the methods in use exist.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return { index, rpc: rpc as Rpc };
  });
  const [first] = endpoints;
  if (first === undefined) throw new Error('no node');
  const resolveVerdict = createResolveVerdict({
    pool: { size: endpoints.length, readable: () => endpoints, rpc: first.rpc },
    program: { ...program, eventsOf: (found) => events.get(found) ?? [] },
    readWire: async () => WIRE,
    log: createLogger({ name: 'test', level: 'silent' }),
    metrics,
    monotonicMs: () => clock.nowMs,
  });
  return {
    resolve: (verdict, attempt = MINE) => resolveVerdict({ attempt, status: null, verdict }),
    clock,
    alerts: async () => Object.keys(await metrics.alerts.counts()),
  };
}

const ROW = { walletId: 'wallet', sessionId: 'session', spendId: MINE.spendId, attemptNo: 1 };
const FIND: AttemptVerdict = { kind: 'find_landing', slot: 2_000n };
const SEARCH = { kind: 'search_history', why: 'session_gone', slot: 2_000n } as const;
const ERROR: AttemptVerdict = { kind: 'landed_error', slot: 1_500n, finalized: false };

describe('a verdict that names the outcome', () => {
  test.each<[AttemptVerdict, object | null]>([
    [{ kind: 'pending' }, null],
    [{ kind: 'needs_session', minSlot: 1n }, null],
    [
      { kind: 'landed_ok', slot: 1_500n, finalized: true },
      { ...ROW, kind: 'landed_ok', signature: 'signature', slot: 1_500n, isFinal: false },
    ],
    [
      { kind: 'expired_proven', slot: 2_000n },
      { ...ROW, kind: 'expired', isFinal: true },
    ],
  ])('%o reads nothing from the chain', async (verdict, expected) => {
    expect(await resolveOver([{ isDown: true }]).resolve(verdict)).toEqual(expected);
  });
});

describe('an expiry of a facilitator payment', () => {
  const handedOut = watchedAttempt({ broadcaster: 'facilitator', signature: null });
  const EXPIRED: AttemptVerdict = { kind: 'expired_proven', slot: 2_000n };
  const failed = failedWith('RecipientNotAllowed', 6_002, {
    signatures: ['of the fee payer', bs58.encode(SESSION_SIGNATURE)],
  });

  test('is a failure with the program’s error when the chain shows a copy of these bytes', async () => {
    const others = { another: failedWith('VaultPaused', 6_009) };
    const { resolve } = resolveOver([{ failed: { ...others, 'of the fee payer': failed } }]);
    expect(await resolve(EXPIRED, handedOut)).toMatchObject({
      ...ROW,
      kind: 'landed_error',
      signature: 'of the fee payer',
      slot: failed.slot,
      code: 'RecipientNotAllowed',
    });
  });

  test.each<[string, Node]>([
    ['nothing failed', { history: [{ signature: 'other', events: [] }] }],
    ['what failed was something else', { failed: { another: failedWith('VaultPaused', 6_009) } }],
    ['what failed is older than the payment', { failed: { old: { ...failed, slot: 999n } } }],
  ])('stays an expiry when %s', async (_case, node) => {
    const settlement = await resolveOver([node]).resolve(EXPIRED, handedOut);
    expect(settlement).toEqual({ ...ROW, kind: 'expired', isFinal: true });
  });

  test('throws when no node answers', async () => {
    const { resolve } = resolveOver([{ isDown: true }]);
    await expect(resolve(EXPIRED, handedOut)).rejects.toThrow('down');
  });
});

describe('a landing with an error', () => {
  test('carries the program’s error', async () => {
    const { resolve } = resolveOver([{ own: failedWith('DailyCapExceeded', 6_003) }]);
    expect(await resolve(ERROR)).toMatchObject({
      ...ROW,
      kind: 'landed_error',
      signature: 'signature',
      slot: 1_500n,
      code: 'DailyCapExceeded',
    });
  });

  test('of another program is a failed transaction', async () => {
    const own = transaction({ err: 'InsufficientFundsForFee' });
    expect(await resolveOver([{ own }]).resolve(ERROR)).toMatchObject({
      kind: 'landed_error',
      code: 'TransactionFailed',
    });
  });

  test.each<[string, ChainTransaction | null]>([
    ['cannot be read yet', null],
    ['shows as a success elsewhere', transaction()],
  ])('that %s stays open', async (_case, own) => {
    expect(await resolveOver([{ own }]).resolve(ERROR)).toBeNull();
  });

  const replayed = failedWith('SpendAlreadyExecuted', 6_010);

  test('because its number was used becomes the landing that used it', async () => {
    const history = [{ signature: 'first attempt', events: [landing()] }];
    expect(await resolveOver([{ own: replayed, history }]).resolve(ERROR)).toEqual({
      ...ROW,
      kind: 'landed_ok',
      signature: 'first attempt',
      slot: 1_600n,
      isFinal: false,
    });
  });

  test('because its number was used never becomes a success without a landing', async () => {
    const { resolve, clock } = resolveOver([{ own: replayed }]);
    const old = watchedAttempt({ storedMsAgo: 3_600_000 });
    expect(await resolve(ERROR, old)).toBeNull();
    clock.nowMs = 3_600_000;
    expect(await resolve(ERROR, old)).toBeNull();
  });
});

describe('a bit that is set', () => {
  test('by our spend is its landing, whichever attempt it was', async () => {
    const { resolve } = resolveOver([{ history: [{ signature: 'older', events: [landing()] }] }]);
    const second = watchedAttempt({ attempt: 2, attemptNo: 2 });
    expect(await resolve(FIND, second)).toMatchObject({
      kind: 'landed_ok',
      signature: 'older',
      attemptNo: 2,
    });
  });

  test('by another spend means that ours can never land, and is an alert', async () => {
    const history = [{ signature: 'theirs', events: [landing(OTHER_SPEND)] }];
    const { resolve, alerts } = resolveOver([{ history }]);
    expect(await resolve(FIND)).toMatchObject({ ...ROW, kind: 'never_lands' });
    expect(await alerts()).toEqual(['sequence_used_by_other_spend']);
  });

  test('is searched for on every node before it counts as not shown', async () => {
    const nodes = [{}, { history: [{ signature: 'shown here', events: [landing()] }] }];
    expect(await resolveOver(nodes).resolve(FIND)).toMatchObject({ signature: 'shown here' });
  });

  test('and not shown for ten minutes is the only attempt, with an alert', async () => {
    const { resolve, clock, alerts } = resolveOver([{}]);
    const old = watchedAttempt({ storedMsAgo: 3_600_000 });
    expect(await resolve(FIND, old)).toBeNull();
    clock.nowMs = 599_999;
    expect(await resolve(FIND, old)).toBeNull();
    expect(await alerts()).toEqual([]);
    clock.nowMs = 600_000;
    expect(await resolve(FIND, old)).toMatchObject({ kind: 'landed_ok', signature: 'signature' });
    expect(await alerts()).toEqual(['landing_not_shown']);
  });

  test('and not shown stays open without a known signature, with an alert', async () => {
    const { resolve, clock, alerts } = resolveOver([{}]);
    const facilitated = watchedAttempt({ signature: null, broadcaster: 'facilitator' });
    expect(await resolve(FIND, facilitated)).toBeNull();
    clock.nowMs = 600_000;
    expect(await resolve(FIND, facilitated)).toBeNull();
    expect(await alerts()).toEqual(['landing_not_shown']);
  });

  test('and not shown stays open when there were several attempts', async () => {
    const { resolve, clock } = resolveOver([{}]);
    const second = watchedAttempt({ attempt: 2, attemptNo: 2, storedMsAgo: 3_600_000 });
    expect(await resolve(FIND, second)).toBeNull();
    clock.nowMs = 3_600_000;
    expect(await resolve(FIND, second)).toBeNull();
  });

  test('stays open while no node answers', async () => {
    await expect(resolveOver([{ isDown: true }]).resolve(FIND)).rejects.toThrow('down');
  });
});

describe('where only the history can tell', () => {
  test('a landing there is ours', async () => {
    const history = [{ signature: 'found', events: [landing()] }];
    expect(await resolveOver([{ history }]).resolve(SEARCH)).toMatchObject({
      kind: 'landed_ok',
      signature: 'found',
    });
  });

  test('one node must show none twice, a minute apart', async () => {
    const { resolve, clock } = resolveOver([{}]);
    expect(await resolve(SEARCH)).toBeNull();
    clock.nowMs = 59_999;
    expect(await resolve(SEARCH)).toBeNull();
    clock.nowMs = 60_000;
    expect(await resolve(SEARCH)).toEqual({ ...ROW, kind: 'expired', isFinal: false });
  });

  test('a node that stays behind its own account reads need only pass the first of them', async () => {
    const { resolve, clock } = resolveOver([{ slot: 2_010n }]);
    expect(await resolve(SEARCH)).toBeNull();
    clock.nowMs = 60_000;
    expect(await resolve({ ...SEARCH, slot: 2_040n })).toEqual({
      ...ROW,
      kind: 'expired',
      isFinal: false,
    });
  });

  test('two nodes that show none are proof', async () => {
    expect(await resolveOver([{}, {}]).resolve(SEARCH)).toEqual({
      ...ROW,
      kind: 'expired',
      isFinal: false,
    });
  });

  test.each<[string, readonly Node[]]>([
    ['is behind the slot', [{ slot: 1_999n }]],
    ['cannot read all of it', [{ history: [{ signature: 'listed', events: null }] }]],
    ['is the only one of two that answers', [{}, { isDown: true }]],
    ['is the only one of two at the slot', [{}, { slot: 1_999n }]],
  ])('a node that %s proves nothing', async (_case, nodes) => {
    const { resolve, clock } = resolveOver(nodes);
    expect(await resolve(SEARCH)).toBeNull();
    clock.nowMs = 3_600_000;
    expect(await resolve(SEARCH)).toBeNull();
  });
});
