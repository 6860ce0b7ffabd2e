import { randomBytes } from 'node:crypto';
import {
  type AttemptVerdict,
  type ChainTransaction,
  createWalletProgram,
  type ProgramEvent,
  type Rpc,
} from '@agent-wallet/chain';
import { createLogger } from '@agent-wallet/process';
import type { Settlement, WatchedAttempt } from '@agent-wallet/spend';
import bs58 from 'bs58';
import { describe, expect, test } from 'vitest';
import { watchedAttempt } from '../../fixtures/watched-attempt.ts';
import { createMetrics } from '../metrics.ts';
import { createResolveVerdict } from './resolve-verdict.ts';

const PROGRAM = 'bPnk5YbjddraY6VFyhAFS5at5FXNjEtCoDARzTL8jBm';
const program = createWalletProgram({
  programId: PROGRAM,
  usdcMint: '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU',
});
const MINE = watchedAttempt();
const OTHER_SPEND = 'f'.repeat(32);

const transaction = (change: Partial<ChainTransaction> = {}): ChainTransaction => ({
  slot: 1_500n,
  blockTime: null,
  err: null,
  logs: [],
  signatures: [],
  accountKeys: [],
  instructionPrograms: [PROGRAM],
  innerInstructions: [],
  tokenChanges: [],
  ...change,
});

/** Landed, and our program said no. */
const failedWith = (name: string, number: number): ChainTransaction =>
  transaction({
    err: { InstructionError: [0, { Custom: number }] },
    logs: [
      `Program ${PROGRAM} invoke [1]`,
      `Program log: AnchorError occurred. Error Code: ${name}. Error Number: ${number}. Error Message: no.`,
      `Program ${PROGRAM} failed: custom program error: 0x${number.toString(16)}`,
    ],
  });

const landing = (spendId = MINE.spendId.replaceAll('-', '')): ProgramEvent => ({
  name: 'UsdcTransferred',
  data: { session: 'session pda', session_index: 3n, spend_seq: 5n, spend_id: spendId },
  instructionIndex: 0,
  innerIndex: 0,
});

/** Of a transaction that is listed; null when the node cannot show it. */
type Events = readonly ProgramEvent[] | null;

/** A node's history of the session: signatures with the events of their transactions. */
type Node = {
  readonly history?: readonly { readonly signature: string; readonly events: Events }[];
  /** The same for transactions that failed. */
  readonly failed?: Readonly<Record<string, ChainTransaction>>;
  readonly own?: ChainTransaction | null;
  readonly slot?: bigint;
  readonly isDown?: boolean;
};

/** Settles verdicts over these nodes, with a clock that the test moves. */
function settleOver(nodes: readonly Node[]): {
  readonly settle: (
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
    // Only what settling asks for is there.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return { index, rpc: rpc as Rpc };
  });
  const [first] = endpoints;
  if (first === undefined) throw new Error('no node');
  const resolveVerdict = createResolveVerdict({
    pool: { size: endpoints.length, readable: () => endpoints, rpc: first.rpc },
    program: { ...program, eventsOf: (found) => events.get(found) ?? [] },
    log: createLogger({ name: 'test', level: 'silent' }),
    metrics,
    monotonicMs: () => clock.nowMs,
  });
  return {
    settle: (verdict, attempt = MINE) => resolveVerdict({ attempt, status: null, verdict }),
    clock,
    alerts: async () => (await metrics.alerts.get()).values.map(({ labels }) => `${labels.kind}`),
  };
}

const ROW = { walletId: 'wallet', sessionId: 'session', spendId: MINE.spendId, attemptNo: 1 };
const FIND: AttemptVerdict = { kind: 'find_landing', slot: 2_000n };
const SEARCH = { kind: 'search_history', why: 'session_gone', slot: 2_000n } as const;
const ERROR: AttemptVerdict = { kind: 'landed_error', slot: 1_500n, finalized: false };

describe('a verdict that says what happened', () => {
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
  ])('%o asks the chain nothing', async (verdict, expected) => {
    expect(await settleOver([{ isDown: true }]).settle(verdict)).toEqual(expected);
  });
});

describe('an expiry of what somebody else sent', () => {
  const sessionSignature = randomBytes(64);
  const handedOut = watchedAttempt({
    broadcaster: 'facilitator',
    signature: null,
    wire: Buffer.concat([Buffer.from([2]), Buffer.alloc(64), sessionSignature, randomBytes(99)]),
  });
  const EXPIRED: AttemptVerdict = { kind: 'expired_proven', slot: 2_000n };
  const failed = {
    ...failedWith('RecipientNotAllowed', 6_002),
    signatures: ['of the fee payer', bs58.encode(sessionSignature)],
  };

  test('is a failure in the words of the program when the chain shows one of these bytes', async () => {
    const others = { another: failedWith('VaultPaused', 6_009) };
    const { settle } = settleOver([{ failed: { ...others, 'of the fee payer': failed } }]);
    expect(await settle(EXPIRED, handedOut)).toMatchObject({
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
  ])('is nothing more when %s', async (_case, node) => {
    const settlement = await settleOver([node]).settle(EXPIRED, handedOut);
    expect(settlement).toEqual({ ...ROW, kind: 'expired', isFinal: true });
  });

  test('is looked at again when no node answers', async () => {
    const { settle } = settleOver([{ isDown: true }]);
    await expect(settle(EXPIRED, handedOut)).rejects.toThrow('down');
  });
});

describe('a landing with an error', () => {
  test('is told in the words of the program', async () => {
    const { settle } = settleOver([{ own: failedWith('DailyCapExceeded', 6_003) }]);
    expect(await settle(ERROR)).toMatchObject({
      ...ROW,
      kind: 'landed_error',
      signature: 'signature',
      slot: 1_500n,
      code: 'DailyCapExceeded',
    });
  });

  test('of no program of ours is told as it is', async () => {
    const own = transaction({ err: 'InsufficientFundsForFee' });
    expect(await settleOver([{ own }]).settle(ERROR)).toMatchObject({
      kind: 'landed_error',
      code: 'TransactionFailed',
    });
  });

  test.each<[string, ChainTransaction | null]>([
    ['cannot be read yet', null],
    ['shows as a success elsewhere', transaction()],
  ])('that %s stays open', async (_case, own) => {
    expect(await settleOver([{ own }]).settle(ERROR)).toBeNull();
  });

  const replayed = failedWith('SpendAlreadyExecuted', 6_010);

  test('because its number was used is settled by the landing that used it', async () => {
    const history = [{ signature: 'first attempt', events: [landing()] }];
    expect(await settleOver([{ own: replayed, history }]).settle(ERROR)).toEqual({
      ...ROW,
      kind: 'landed_ok',
      signature: 'first attempt',
      slot: 1_600n,
      isFinal: false,
    });
  });

  test('because its number was used is never taken for a success, however long it is looked for', async () => {
    const { settle, clock } = settleOver([{ own: replayed }]);
    const old = watchedAttempt({ storedMsAgo: 3_600_000 });
    expect(await settle(ERROR, old)).toBeNull();
    clock.nowMs = 3_600_000;
    expect(await settle(ERROR, old)).toBeNull();
  });
});

describe('a bit that is set', () => {
  test('by our spend is its landing, whichever attempt it was', async () => {
    const { settle } = settleOver([{ history: [{ signature: 'older', events: [landing()] }] }]);
    const second = watchedAttempt({ attempt: 2, attemptNo: 2 });
    expect(await settle(FIND, second)).toMatchObject({
      kind: 'landed_ok',
      signature: 'older',
      attemptNo: 2,
    });
  });

  test('by another spend means that ours can never land, and is an alert', async () => {
    const history = [{ signature: 'theirs', events: [landing(OTHER_SPEND)] }];
    const { settle, alerts } = settleOver([{ history }]);
    expect(await settle(FIND)).toMatchObject({ ...ROW, kind: 'never_lands' });
    expect(await alerts()).toEqual(['sequence_used_by_other_spend']);
  });

  test('is looked for on every node before it counts as not shown', async () => {
    const nodes = [{}, { history: [{ signature: 'shown here', events: [landing()] }] }];
    expect(await settleOver(nodes).settle(FIND)).toMatchObject({ signature: 'shown here' });
  });

  test('and not shown for ten minutes is the only attempt, with an alert', async () => {
    const { settle, clock, alerts } = settleOver([{}]);
    const old = watchedAttempt({ storedMsAgo: 3_600_000 });
    expect(await settle(FIND, old)).toBeNull();
    clock.nowMs = 599_999;
    expect(await settle(FIND, old)).toBeNull();
    expect(await alerts()).toEqual([]);
    clock.nowMs = 600_000;
    expect(await settle(FIND, old)).toMatchObject({ kind: 'landed_ok', signature: 'signature' });
    expect(await alerts()).toEqual(['landing_not_shown']);
  });

  test('and not shown stays open when nobody knows its signature, with an alert', async () => {
    const { settle, clock, alerts } = settleOver([{}]);
    const facilitated = watchedAttempt({ signature: null, broadcaster: 'facilitator' });
    expect(await settle(FIND, facilitated)).toBeNull();
    clock.nowMs = 600_000;
    expect(await settle(FIND, facilitated)).toBeNull();
    expect(await alerts()).toEqual(['landing_not_shown']);
  });

  test('and not shown stays open when there were several attempts', async () => {
    const { settle, clock } = settleOver([{}]);
    const second = watchedAttempt({ attempt: 2, attemptNo: 2, storedMsAgo: 3_600_000 });
    expect(await settle(FIND, second)).toBeNull();
    clock.nowMs = 3_600_000;
    expect(await settle(FIND, second)).toBeNull();
  });

  test('stays open while no node answers', async () => {
    await expect(settleOver([{ isDown: true }]).settle(FIND)).rejects.toThrow('down');
  });
});

describe('where only the history can tell', () => {
  test('a landing there is ours', async () => {
    const history = [{ signature: 'found', events: [landing()] }];
    expect(await settleOver([{ history }]).settle(SEARCH)).toMatchObject({
      kind: 'landed_ok',
      signature: 'found',
    });
  });

  test('one node must show none twice, a minute apart', async () => {
    const { settle, clock } = settleOver([{}]);
    expect(await settle(SEARCH)).toBeNull();
    clock.nowMs = 59_999;
    expect(await settle(SEARCH)).toBeNull();
    clock.nowMs = 60_000;
    expect(await settle(SEARCH)).toEqual({ ...ROW, kind: 'expired', isFinal: false });
  });

  test('a node that stays behind its own account reads need only pass the first of them', async () => {
    const { settle, clock } = settleOver([{ slot: 2_010n }]);
    expect(await settle(SEARCH)).toBeNull();
    clock.nowMs = 60_000;
    expect(await settle({ ...SEARCH, slot: 2_040n })).toEqual({
      ...ROW,
      kind: 'expired',
      isFinal: false,
    });
  });

  test('two nodes that show none are proof', async () => {
    expect(await settleOver([{}, {}]).settle(SEARCH)).toEqual({
      ...ROW,
      kind: 'expired',
      isFinal: false,
    });
  });

  test.each<[string, readonly Node[]]>([
    ['is behind the slot', [{ slot: 1_999n }]],
    ['cannot read all of it', [{ history: [{ signature: 'listed', events: null }] }]],
    ['is the only one of two that answers', [{}, { isDown: true }]],
  ])('a node that %s proves nothing', async (_case, nodes) => {
    const { settle, clock } = settleOver(nodes);
    expect(await settle(SEARCH)).toBeNull();
    clock.nowMs = 3_600_000;
    expect(await settle(SEARCH)).toBeNull();
  });
});
