import type { AccountSnapshot, Rpc, SessionState, SignatureStatus } from '@agent-wallet/chain';
import type { WatchedAttempt } from '@agent-wallet/spend';
import { describe, expect, test } from 'vitest';
import { program, session } from '../../fixtures/chain.ts';
import { watchedAttempt } from '../../fixtures/watched-attempt.ts';
import { createMetrics } from '../metrics.ts';
import { type Landed, readLanded } from './attempt-facts.ts';
import { createResolveAttempts, type ResolvedAttempt } from './resolve-attempts.ts';

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
  /** The status has left its cache and is shown only when the history is searched. */
  readonly isStatusOld?: boolean;
  /** Undefined: cannot be read. */
  readonly session?: SessionState | null;
  readonly sessionSlot?: bigint;
  readonly isDown?: boolean;
};

type Resolved = {
  readonly resolved: readonly ResolvedAttempt[];
  readonly calls: readonly string[];
  readonly uncorroborated: number;
};

/** Resolves attempts over these nodes. */
async function resolve(
  nodes: readonly Node[],
  attempts = [watchedAttempt({ storedMsAgo: 40_000 })],
  told?: Landed,
): Promise<Resolved> {
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
        const isShown = searchHistory || node.isStatusOld !== true;
        const status = isShown ? (node.status ?? null) : null;
        return { slot: 2_000n, statuses: signatures.map(() => status) };
      },
      accounts: async (addresses, { commitment, minContextSlot }) => {
        called(`${addresses.length} sessions ${commitment} at ${minContextSlot}`);
        if (node.session === undefined) throw new Error('the session cannot be read');
        const account = { ...ACCOUNT };
        if (node.session !== null) states.set(account, node.session);
        return {
          slot: node.sessionSlot ?? 2_000n,
          accounts: addresses.map(() => (node.session === null ? null : account)),
        };
      },
    };
    // Only the methods in use exist.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return { index, rpc: rpc as Rpc };
  });
  const [first] = endpoints;
  if (first === undefined) throw new Error('no node');
  const metrics = createMetrics();
  const resolveAttempts = createResolveAttempts({
    pool: {
      size: endpoints.length,
      read: (run) => run(first.rpc, first.index),
      readable: () => endpoints,
    },
    program: { ...program, decodeSession: (account) => states.get(account) ?? null },
    metrics,
  });
  const resolved = await resolveAttempts(attempts, told);
  const { values } = await metrics.uncorroborated.get();
  return { resolved, calls, uncorroborated: values[0]?.value ?? 0 };
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
    ['is past it, the bit is clear', { session: session('clear') }, { kind: 'expired_proven' }],
    ['is past it, the bit is set', { session: session('set') }, { kind: 'find_landing' }],
    [
      'is past it, but read the session earlier',
      { session: session('clear'), sessionSlot: 1_999n },
      { kind: 'needs_session' },
    ],
    ['is past it, the session is gone', { session: null }, { kind: 'search_history' }],
    [
      'is past it, the session is another one',
      { session: session('clear', { index: 4n }) },
      { kind: 'search_history', why: 'session_gone' },
    ],
    [
      'is past it, the number is too far back',
      { session: session('clear', { replay: { highestSeq: 300n, bitmap: [0n, 0n, 0n, 0n] } }) },
      { kind: 'search_history', why: 'outside_window' },
    ],
  ])('%s', async (_case, node, expected) => {
    const { resolved } = await resolve([node]);
    expect(resolved.map(({ verdict }) => verdict)).toMatchObject([expected]);
  });

  test('is read for the height first, so that a landing in between shows in the status', async () => {
    const { calls } = await resolve([{ session: session('clear') }]);
    expect(calls).toEqual([
      'height finalized',
      '1 statuses with history',
      '1 sessions finalized at 2000',
    ]);
  });

  test('is read for statuses only while every attempt is young', async () => {
    const { calls, resolved } = await resolve([{}], [watchedAttempt({ storedMsAgo: 2_000 })]);
    expect(calls).toEqual(['1 statuses']);
    expect(resolved).toMatchObject([{ verdict: { kind: 'pending' } }]);
  });

  test('is not asked again for a landing that is known, but for the other attempts', async () => {
    const attempts = ['known', 'open'].map((signature) => watchedAttempt({ signature }));
    const { calls, resolved } = await resolve([{}], attempts, new Map([['known', landed]]));
    expect(calls).toEqual(['1 statuses']);
    expect(resolved.map(({ verdict }) => verdict.kind)).toEqual(['landed_ok', 'pending']);
  });

  test('tells which of many signatures have landed, and nothing when it is down', async () => {
    const rpc = {
      signatureStatuses: async (signatures: readonly string[]) => ({
        slot: 2_000n,
        statuses: signatures.map((signature) => (signature === 'a' ? landed : null)),
      }),
    };
    expect(await readLanded(rpc, ['a', 'b'])).toEqual(new Map([['a', landed]]));
    const down = { signatureStatuses: () => Promise.reject(new Error('down')) };
    expect(await readLanded(down, ['a'])).toEqual(new Map());
  });

  test('is read once for many attempts, with its history for the old ones', async () => {
    const attempts = [
      watchedAttempt({ signature: 'a', storedMsAgo: 40_000 }),
      watchedAttempt({ signature: 'b', storedMsAgo: 10_000, lastValidBlockHeight: 1_151n }),
      watchedAttempt({ signature: 'c', storedMsAgo: 100, lastValidBlockHeight: 1_300n }),
    ];
    const { calls } = await resolve([{ session: session('clear') }], attempts);
    expect(calls).toEqual([
      'height finalized',
      '2 statuses',
      '1 statuses with history',
      '1 sessions finalized at 2000',
    ]);
  });

  test('that fails gives no attempt a verdict', async () => {
    await expect(resolve([{ isDown: true }])).rejects.toThrow('down');
  });

  test.each([
    ['that failed', { ...landed, err: 'x' }, 'landed_error'],
    ['that succeeded', landed, 'landed_ok'],
  ])('has its history searched before a landing %s is believed absent', async (...row) => {
    const [, status, expected] = row;
    // Slots may be so short that the last valid height passes within seconds.
    const young = watchedAttempt({ storedMsAgo: 4_000 });
    const node = { status, isStatusOld: true, session: session('clear') };
    const { resolved } = await resolve([node], [young]);
    expect(resolved.map(({ verdict }) => verdict.kind)).toEqual([expected]);
  });
});

describe('a session that cannot be read', () => {
  const open = watchedAttempt({ storedMsAgo: 40_000 });
  const unsigned = watchedAttempt({
    spendId: 'unsigned',
    signature: null,
    broadcaster: 'facilitator',
  });
  const other = watchedAttempt({ spendId: 'other', signature: 'known', storedMsAgo: 40_000 });
  const told: Landed = new Map([['known', landed]]);

  test.each<[string, WatchedAttempt]>([
    ['after the last valid height', open],
    ['of a facilitator payment', unsigned],
  ])('%s leaves only its own attempt open', async (_case, poison) => {
    const { resolved } = await resolve([{}], [poison, other], told);
    expect(resolved[0]?.fault).toMatchObject({ message: 'the session cannot be read' });
    expect(resolved[0]?.verdict.kind).toMatch(/pending|needs_session/);
    expect(resolved[1]).toMatchObject({ verdict: { kind: 'landed_ok' } });
    expect(resolved[1]).not.toHaveProperty('fault');
  });

  test.each<[string, Node, string, boolean]>([
    ['that saw the landing', { session: session('set') }, 'find_landing', false],
    ['that cannot prove an expiry alone', { session: session('clear') }, 'pending', false],
    ['that cannot read it either', {}, 'pending', true],
  ])('on one node is read on another %s', async (_case, node, expected, isFaulty) => {
    const { resolved } = await resolve([{}, node], [open]);
    expect(resolved.map(({ verdict }) => verdict.kind)).toEqual([expected]);
    expect(resolved[0]?.fault !== undefined).toBe(isFaulty);
  });
});

describe('an attempt whose signature only a facilitator knows', () => {
  const young = watchedAttempt({ signature: null, broadcaster: 'facilitator', storedMsAgo: 500 });
  const old = { ...young, storedMsAgo: 40_000 };
  const again = session('set', { index: 4n });
  test.each<[string, Node, object]>([
    ['has landed when its bit is set', { session: session('set') }, { kind: 'find_landing' }],
    ['is open while its bit is clear', { session: session('clear') }, { kind: 'pending' }],
    ['is open while its session is gone', { session: null }, { kind: 'pending' }],
    ['is open when the bit is of another session', { session: again }, { kind: 'pending' }],
  ])('%s', async (_case, node, expected) => {
    const { resolved, calls } = await resolve([node], [young]);
    expect(resolved.map(({ verdict }) => verdict)).toMatchObject([expected]);
    expect(calls).toEqual(['1 sessions confirmed at undefined']);
  });

  test.each<[string, Node, object]>([
    ['a clear bit', { session: session('clear') }, { kind: 'expired_proven' }],
    ['a set bit', { session: session('set') }, { kind: 'find_landing' }],
    ['no session', { session: null }, { kind: 'search_history' }],
  ])(
    'is resolved by the finalized session after its last valid height: %s',
    async (_, node, expected) => {
      const { resolved } = await resolve([node], [old]);
      expect(resolved.map(({ verdict }) => verdict)).toMatchObject([expected]);
    },
  );

  test('is read with the others in one call for all sessions', async () => {
    const { calls } = await resolve(
      [{ session: session('clear'), height: 1_150n }],
      [
        young,
        { ...young, spendId: 'another', sessionPda: 'b' },
        watchedAttempt({ storedMsAgo: 1 }),
      ],
    );
    expect(calls).toEqual(['1 statuses', '2 sessions confirmed at undefined']);
  });

  test('needs two nodes for its expiry, and one for its landing', async () => {
    const clear: Node = { session: session('clear') };
    const verdictOf = async (nodes: readonly Node[]): Promise<unknown> =>
      (await resolve(nodes, [old])).resolved.map(({ verdict }) => verdict.kind);
    expect(await verdictOf([clear, clear])).toEqual(['expired_proven']);
    expect(await verdictOf([clear, { isDown: true }])).toEqual(['pending']);
    expect(await verdictOf([clear, { session: session('set') }])).toEqual(['find_landing']);
  });
});

describe('several nodes', () => {
  const expired: Node = { session: session('clear') };
  const behind: Node = { height: 1_150n };
  const down: Node = { isDown: true };
  const sawLanding: Node = { status: landed };
  /** Its memory of signatures is lost; the account still has the bit. */
  const bitSet: Node = { session: session('set') };
  const gone: Node = { session: null };
  test.each<[string, readonly Node[], object, number]>([
    ['one alone proves an expiry', [expired], { kind: 'expired_proven' }, 0],
    ['that agree prove an expiry', [expired, expired], { kind: 'expired_proven' }, 0],
    ['of which one is behind prove nothing', [expired, behind], { kind: 'pending' }, 1],
    ['of which one is down prove nothing', [expired, down], { kind: 'pending' }, 1],
    ['may agree at the third', [expired, behind, expired], { kind: 'expired_proven' }, 0],
    [
      'of which one saw the landing prove it',
      [expired, sawLanding],
      { kind: 'landed_ok', slot: 1_500n },
      0,
    ],
    ['of which one has the bit set show a landing', [expired, bitSet], { kind: 'find_landing' }, 0],
    ['are not all read when the first saw a landing', [sawLanding, down], { kind: 'landed_ok' }, 0],
    ['are not all read when the first is behind', [behind, expired], { kind: 'pending' }, 0],
    ['of which one has no session prove nothing', [expired, gone], { kind: 'pending' }, 1],
    ['without the session leave it to the history', [gone, gone], { kind: 'search_history' }, 0],
    ['of which one has no session and one is down', [gone, down], { kind: 'pending' }, 1],
  ])('%s', async (_case, nodes, expected, uncorroborated) => {
    const pass = await resolve(nodes);
    expect(pass.resolved.map(({ verdict }) => verdict)).toMatchObject([expected]);
    expect(pass.uncorroborated).toBe(uncorroborated);
  });

  test('are not both read for a landing that one has seen', async () => {
    const { calls } = await resolve([sawLanding, down]);
    expect(calls.filter((call) => call.startsWith('1'))).toEqual([]);
  });
});
