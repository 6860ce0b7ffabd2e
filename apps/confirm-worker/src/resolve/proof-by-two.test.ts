import {
  createWalletProgram,
  type HeightAndSlot,
  type Rpc,
  type RpcPool,
  type SignatureStatus,
  type WalletProgram,
} from '@agent-wallet/chain';
import { AppError } from '@agent-wallet/errors';
import { createLogger } from '@agent-wallet/process';
import type { WatchedAttempt } from '@agent-wallet/spend';
import { describe, expect, test } from 'vitest';
import { createResolveAttempts } from './resolve-attempts.ts';
import { createMetrics } from '../metrics.ts';
import { createResolveVerdict } from './resolve-verdict.ts';

const SEQ = 4n;
const LAST_VALID = 1_000n;

/** What one endpoint shows of one attempt. `bit` null: the session account is gone. */
type View = {
  readonly finalized: HeightAndSlot;
  readonly status?: SignatureStatus;
  readonly bit?: 'clear' | 'set' | null;
  readonly history?: readonly string[];
  readonly away?: boolean;
};

const PAST: HeightAndSlot = { blockHeight: 1_001n, slot: 1_100n };
const BEFORE: HeightAndSlot = { blockHeight: 900n, slot: 990n };
const EXPIRED: View = { finalized: PAST, bit: 'clear' };
const LAGGING: View = { finalized: BEFORE, bit: 'clear' };
const AWAY: View = { finalized: PAST, away: true };
const LANDED: View = {
  finalized: PAST,
  bit: 'set',
  status: { slot: 950n, err: null, confirmationStatus: 'finalized' },
};
/** Its short memory of signatures is lost; the account still tells. */
const FORGETFUL: View = { finalized: PAST, bit: 'set' };
const GONE: View = { finalized: PAST, bit: null, history: [] };

const program: WalletProgram = {
  ...createWalletProgram({
    programId: 'bPnk5YbjddraY6VFyhAFS5at5FXNjEtCoDARzTL8jBm',
    usdcMint: '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU',
  }),
  decodeSession: ({ data }) => ({
    vault: 'vault',
    sessionPubkey: 'key',
    index: 3n,
    maxPerTx: 1n,
    dailyCap: 1n,
    expiry: 1n,
    allowedInstructions: 1,
    recipients: [],
    dailySpent: 0n,
    dailyWindowStart: 0n,
    window: { buckets: [], lastSeen: 0n },
    replay: { highestSeq: 5n, bitmap: [data[0] === 1 ? 0b110000n : 0b100000n, 0n, 0n, 0n] },
  }),
};

function never(): never {
  throw new Error('this must not be asked');
}

function rpcOf(view: View): Rpc {
  const answer = async <T>(value: T): Promise<T> => {
    if (view.away === true) throw new AppError('RPC_UNAVAILABLE');
    return value;
  };
  return {
    genesisHash: never,
    latestBlockhash: never,
    recentPriorityFees: never,
    sendRaw: never,
    simulate: never,
    transaction: never,
    slot: () => answer(view.finalized.slot),
    heightAndSlot: () => answer(view.finalized),
    signatureStatuses: (signatures) =>
      answer({ slot: view.finalized.slot, statuses: signatures.map(() => view.status ?? null) }),
    accounts: (addresses) =>
      answer({
        slot: view.finalized.slot,
        accounts: addresses.map((address) => {
          if (view.bit === null || view.bit === undefined) return null;
          const data = Uint8Array.of(view.bit === 'set' ? 1 : 0);
          return { address, owner: 'program', lamports: 1n, data };
        }),
      }),
    signaturesFor: () =>
      answer((view.history ?? []).map((signature) => ({ signature, slot: 950n, err: 'failed' }))),
  };
}

function poolOf(views: readonly View[]): Pick<RpcPool, 'size' | 'read' | 'readable' | 'rpc'> {
  const endpoints = views.map((view, index) => ({ index, rpc: rpcOf(view) }));
  const [first] = endpoints;
  if (first === undefined) throw new RangeError('no endpoint');
  return {
    size: endpoints.length,
    rpc: first.rpc,
    read: (run) => run(first.rpc, first.index),
    readable: () => endpoints,
  };
}

const attempt: WatchedAttempt = {
  spendId: '0189b2c4-5d6e-7f80-9a1b-2c3d4e5f6071',
  walletId: 'wallet',
  sessionId: 'session',
  kind: 'transfer',
  amount: 1n,
  reserved: 1n,
  recipient: 'recipient',
  url: null,
  status: 'in_flight',
  spendSeq: SEQ,
  attempt: 1,
  broadcasts: 1,
  broadcaster: 'worker',
  facilitatorFeePayer: null,
  facilitatorMemo: null,
  releasedAt: null,
  txSignature: null,
  landedSlot: null,
  code: null,
  detail: null,
  notAfter: new Date(0),
  createdAt: new Date(0),
  claimedAt: new Date(0),
  settledAt: null,
  finalizedAt: null,
  attemptNo: 1,
  signature: 'signature',
  signatureHint: null,
  wire: Buffer.alloc(1),
  lastValidBlockHeight: LAST_VALID,
  storedMsAgo: 100_000,
  broadcastMsAgo: 1_000,
  sessionPda: 'session-pda',
  sessionIndex: 3n,
  sinceSlot: 900n,
  sessionWasLive: true,
};

async function verdictOf(
  views: readonly View[],
): Promise<{ kind: string; uncorroborated: number }> {
  const metrics = createMetrics();
  const judge = createResolveAttempts({ pool: poolOf(views), program, metrics });
  const [judged] = await judge([attempt]);
  const { values } = await metrics.uncorroborated.get();
  return { kind: judged?.verdict.kind ?? 'none', uncorroborated: values[0]?.value ?? 0 };
}

describe('an expiry', () => {
  test.each<[string, readonly View[], string, number]>([
    ['counts as one endpoint shows it, when there is only one', [EXPIRED], 'expired_proven', 0],
    ['counts when two agree', [EXPIRED, EXPIRED], 'expired_proven', 0],
    ['does not count while the other lags', [EXPIRED, LAGGING], 'pending', 1],
    ['does not count while the other is away', [EXPIRED, AWAY], 'pending', 1],
    ['counts when a third agrees', [EXPIRED, LAGGING, EXPIRED], 'expired_proven', 0],
    ['gives way to a landing that the other has seen', [EXPIRED, LANDED], 'landed_ok', 0],
    ['gives way to a bit that the other has seen', [EXPIRED, FORGETFUL], 'find_landing', 0],
    ['is not asked about when the first has seen a landing', [LANDED, AWAY], 'landed_ok', 0],
    ['is not asked about when the first sees none yet', [LAGGING, EXPIRED], 'pending', 0],
    ['is not what a missing session is', [EXPIRED, GONE], 'pending', 1],
    ['leaves it to the history when two miss the session', [GONE, GONE], 'search_history', 0],
    ['leaves it open when one alone misses the session', [GONE, AWAY], 'pending', 1],
  ])('%s', async (_case, views, kind, uncorroborated) => {
    expect(await verdictOf(views)).toEqual({ kind, uncorroborated });
  });
});

describe('a history without the landing', () => {
  const resolvedBy = (views: readonly View[], looksAtMs: readonly number[]): Promise<unknown[]> => {
    let nowMs = 0;
    const settle = createResolveVerdict({
      pool: poolOf(views),
      program,
      log: createLogger({ name: 'test', level: 'fatal' }),
      metrics: createMetrics(),
      monotonicMs: () => nowMs,
    });
    const verdict = { kind: 'search_history', why: 'session_gone', slot: 1_100n } as const;
    return looksAtMs.reduce<Promise<unknown[]>>(async (before, atMs) => {
      const kinds = await before;
      nowMs = atMs;
      const settled = await settle({ attempt, status: null, verdict });
      return [...kinds, settled?.kind ?? null];
    }, Promise.resolve([]));
  };

  test('of two endpoints is proof at once', async () => {
    expect(await resolvedBy([GONE, GONE], [0])).toEqual(['expired']);
  });

  test('of one endpoint is proof when it is seen twice, a minute apart', async () => {
    expect(await resolvedBy([GONE], [0, 59_999, 60_000])).toEqual([null, null, 'expired']);
  });

  test.each<[string, readonly View[]]>([
    ['away', [GONE, AWAY]],
    ['behind', [GONE, { ...GONE, finalized: BEFORE }]],
  ])('is no proof while the second endpoint is %s, however long', async (_case, views) => {
    expect(await resolvedBy(views, [0, 60_000, 600_000])).toEqual([null, null, null]);
  });
});
