import {
  type AccountSnapshot,
  createWalletProgram,
  type Rpc,
  type SessionState,
  type SignatureStatus,
} from '@agent-wallet/chain';
import { expect, describe, test } from 'vitest';
import { watchedAttempt } from '../../fixtures/watched-attempt.ts';
import { createResolveAttempts, type ResolvedAttempt } from './resolve-attempts.ts';
import { createMetrics } from '../metrics.ts';

const program = createWalletProgram({
  programId: 'bPnk5YbjddraY6VFyhAFS5at5FXNjEtCoDARzTL8jBm',
  usdcMint: '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU',
});

/** The session account: bit 5 set or clear behind a highest number of 6. */
const session = (isSet: boolean, change: Partial<SessionState> = {}): SessionState => ({
  vault: 'vault',
  sessionPubkey: 'key',
  index: 3n,
  maxPerTx: 1n,
  dailyCap: 1n,
  expiry: 0n,
  allowedInstructions: 1,
  recipients: [],
  dailySpent: 0n,
  dailyWindowStart: 0n,
  window: { buckets: [], lastSeen: 0n },
  replay: { highestSeq: 6n, bitmap: [isSet ? 0b1100000n : 0b1000000n, 0n, 0n, 0n] },
  ...change,
});

const ACCOUNT: AccountSnapshot = {
  address: 'session pda',
  owner: program.programId,
  lamports: 1n,
  data: new Uint8Array(),
};

type Node = {
  readonly height?: bigint;
  readonly slot?: bigint;
  readonly status?: SignatureStatus | null;
  /** Undefined: must not be read. */
  readonly session?: SessionState | null;
  readonly sessionSlot?: bigint;
  readonly isDown?: boolean;
};

/** What a chain of these nodes is asked, and what is judged from its answers. */
async function judge(
  nodes: readonly Node[],
  attempts = [watchedAttempt({ storedMsAgo: 40_000 })],
): Promise<{ judged: readonly ResolvedAttempt[]; calls: string[] }> {
  const calls: string[] = [];
  const states = new Map<AccountSnapshot, SessionState>();
  const endpoints = nodes.map((node, index) => {
    const called = (call: string): void => {
      calls.push(nodes.length === 1 ? call : `${index} ${call}`);
      if (node.isDown) throw new Error(`node ${index} is down`);
    };
    const rpc: Pick<Rpc, 'heightAndSlot' | 'signatureStatuses' | 'accounts'> = {
      heightAndSlot: async (commitment) => {
        called(`height ${commitment}`);
        return { blockHeight: node.height ?? 1_151n, slot: node.slot ?? 2_000n };
      },
      signatureStatuses: async (signatures, { searchHistory }) => {
        called(`${signatures.length} statuses${searchHistory ? ' with history' : ''}`);
        return { slot: 2_000n, statuses: signatures.map(() => node.status ?? null) };
      },
      accounts: async (addresses, { commitment, minContextSlot }) => {
        called(`${addresses.length} sessions ${commitment} at ${minContextSlot}`);
        if (node.session === undefined) throw new Error('must not be read');
        const account = { ...ACCOUNT };
        if (node.session !== null) states.set(account, node.session);
        return {
          slot: node.sessionSlot ?? 2_000n,
          accounts: addresses.map(() => (node.session === null ? null : account)),
        };
      },
    };
    // Only what judging asks for is there.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return { index, rpc: rpc as Rpc };
  });
  const [first] = endpoints;
  if (first === undefined) throw new Error('no node');
  const resolveAttempts = createResolveAttempts({
    pool: {
      size: endpoints.length,
      read: (run) => run(first.rpc, first.index),
      readable: () => endpoints,
    },
    program: { ...program, decodeSession: (account) => states.get(account) ?? null },
    metrics: createMetrics(),
  });
  return { judged: await resolveAttempts(attempts), calls };
}

const landed: SignatureStatus = { slot: 1_500n, err: null, confirmationStatus: 'confirmed' };

describe('one node', () => {
  test.each<[string, Node, object]>([
    ['has seen it land', { status: landed }, { kind: 'landed_ok', slot: 1_500n }],
    ['has seen it fail', { status: { ...landed, err: 'x' } }, { kind: 'landed_error' }],
    [
      'has seen it, but not confirmed',
      { status: { ...landed, confirmationStatus: 'processed' } },
      { kind: 'pending' },
    ],
    ['is at its last valid height', { height: 1_150n }, { kind: 'pending' }],
    ['is past it, the bit is clear', { session: session(false) }, { kind: 'expired_proven' }],
    ['is past it, the bit is set', { session: session(true) }, { kind: 'find_landing' }],
    [
      'is past it, but read the session earlier',
      { session: session(false), sessionSlot: 1_999n },
      { kind: 'needs_session' },
    ],
    ['is past it, the session is gone', { session: null }, { kind: 'search_history' }],
    [
      'is past it, the session is another one',
      { session: session(false, { index: 4n }) },
      { kind: 'search_history', why: 'session_gone' },
    ],
    [
      'is past it, the number is too far back',
      { session: session(false, { replay: { highestSeq: 300n, bitmap: [0n, 0n, 0n, 0n] } }) },
      { kind: 'search_history', why: 'outside_window' },
    ],
  ])('%s', async (_case, node, expected) => {
    const { judged } = await judge([node]);
    expect(judged.map(({ verdict }) => verdict)).toMatchObject([expected]);
  });

  test('is asked for the height first, so that a landing in between shows in the status', async () => {
    const { calls } = await judge([{ session: session(false) }]);
    expect(calls).toEqual([
      'height finalized',
      '1 statuses with history',
      '1 sessions finalized at 2000',
    ]);
  });

  test('is asked for statuses alone while every attempt is young', async () => {
    const { calls, judged } = await judge([{}], [watchedAttempt({ storedMsAgo: 2_000 })]);
    expect(calls).toEqual(['1 statuses']);
    expect(judged).toMatchObject([{ verdict: { kind: 'pending' } }]);
  });

  test('is asked once for many attempts, and searches its history for the old ones', async () => {
    const attempts = [
      watchedAttempt({ signature: 'a', storedMsAgo: 40_000 }),
      watchedAttempt({ signature: 'b', storedMsAgo: 10_000 }),
      watchedAttempt({ signature: 'c', storedMsAgo: 100 }),
    ];
    const { calls } = await judge([{ session: session(false) }], attempts);
    expect(calls).toEqual([
      'height finalized',
      '2 statuses',
      '1 statuses with history',
      '1 sessions finalized at 2000',
    ]);
  });

  test('that fails says nothing about any attempt', async () => {
    await expect(judge([{ isDown: true }])).rejects.toThrow('down');
  });
});

describe('an attempt whose signature only a facilitator knows', () => {
  const young = watchedAttempt({ signature: null, broadcaster: 'facilitator', storedMsAgo: 500 });
  const old = { ...young, storedMsAgo: 40_000 };
  const again = session(true, { index: 4n });
  test.each<[string, Node, object]>([
    ['has landed when its bit is set', { session: session(true) }, { kind: 'find_landing' }],
    ['is open while its bit is clear', { session: session(false) }, { kind: 'pending' }],
    ['is open while its session is gone', { session: null }, { kind: 'pending' }],
    ['is open when the bit is of another session', { session: again }, { kind: 'pending' }],
  ])('%s', async (_case, node, expected) => {
    const { judged, calls } = await judge([node], [young]);
    expect(judged.map(({ verdict }) => verdict)).toMatchObject([expected]);
    expect(calls).toEqual(['1 sessions confirmed at undefined']);
  });

  test.each<[string, Node, object]>([
    ['a clear bit', { session: session(false) }, { kind: 'expired_proven' }],
    ['a set bit', { session: session(true) }, { kind: 'find_landing' }],
    ['no session', { session: null }, { kind: 'search_history' }],
  ])(
    'is judged by the finalized session once it is past its life: %s',
    async (_, node, expected) => {
      const { judged } = await judge([node], [old]);
      expect(judged.map(({ verdict }) => verdict)).toMatchObject([expected]);
    },
  );

  test('is asked about beside the others in one call for all sessions', async () => {
    const { calls } = await judge(
      [{ session: session(false), height: 1_150n }],
      [
        young,
        { ...young, spendId: 'another', sessionPda: 'b' },
        watchedAttempt({ storedMsAgo: 1 }),
      ],
    );
    expect(calls).toEqual(['1 statuses', '2 sessions confirmed at undefined']);
  });

  test('needs two nodes for its expiry, and one for its landing', async () => {
    const clear: Node = { session: session(false) };
    const verdictOf = async (nodes: readonly Node[]): Promise<unknown> =>
      (await judge(nodes, [old])).judged.map(({ verdict }) => verdict.kind);
    expect(await verdictOf([clear, clear])).toEqual(['expired_proven']);
    expect(await verdictOf([clear, { isDown: true }])).toEqual(['pending']);
    expect(await verdictOf([clear, { session: session(true) }])).toEqual(['find_landing']);
  });
});

describe('two nodes', () => {
  const expired: Node = { session: session(false) };
  test.each<[string, readonly Node[], object]>([
    ['that agree prove the expiry', [expired, expired], { kind: 'expired_proven' }],
    ['of which one is behind prove nothing', [expired, { height: 1_150n }], { kind: 'pending' }],
    ['of which one is away prove nothing', [expired, { isDown: true }], { kind: 'pending' }],
    [
      'of which one saw it land tell the landing',
      [expired, { status: landed }],
      { kind: 'landed_ok', slot: 1_500n },
    ],
    [
      'of which one has the bit set tell to look for it',
      [expired, { session: session(true) }],
      { kind: 'find_landing' },
    ],
    [
      'of which one has no session prove nothing',
      [expired, { session: null }],
      { kind: 'pending' },
    ],
  ])('%s', async (_case, nodes, expected) => {
    const { judged } = await judge(nodes);
    expect(judged.map(({ verdict }) => verdict)).toMatchObject([expected]);
  });

  test('are not both asked about a landing that one has seen', async () => {
    const { calls } = await judge([{ status: landed }, { isDown: true }]);
    expect(calls.filter((call) => call.startsWith('1'))).toEqual([]);
  });
});
