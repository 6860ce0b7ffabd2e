import { AppError } from '@agent-wallet/errors';
import { describe, expect, it } from 'vitest';

import { emptyTransactionAt } from '../../../../tests/support/chain/empty-transaction.ts';
import { ThrottledError } from '../rpc/throttled-error.ts';
import type { SignatureRecord } from '../rpc/read/chain-reads.ts';
import { createProgramFeed, type FeedCursor, type ProgramFeed } from './program-feed.ts';
import { createWalletProgram } from './program.ts';
import type { Rpc } from '../rpc/rpc.ts';
import type { FeedPlace } from './walk-program.ts';

const program = createWalletProgram({
  programId: 'bPnk5YbjddraY6VFyhAFS5at5FXNjEtCoDARzTL8jBm',
  usdcMint: '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU',
});

const historyOf = (count: number): SignatureRecord[] =>
  Array.from({ length: count }, (_, i) => ({ signature: `s${i}`, slot: BigInt(i), err: 'failed' }));

const succeeded = (count: number): SignatureRecord[] =>
  historyOf(count).map((record) => ({ ...record, err: null }));

/** A node with a history, oldest first, that counts what it lists and can fail. */
function nodeWith(history: SignatureRecord[]) {
  const node = {
    listed: 0,
    /** Signatures that this node does not know when a list should begin there. */
    isUnknown: (_signature: string): boolean => false,
    firstSlot: 0n,
    faultOf: (_signature: string): Error | null => null,
    signaturesFor: async (_address: string, query: Parameters<Rpc['signaturesFor']>[1]) => {
      const { before, limit } = query;
      const newestFirst = history.filter(({ slot }) => slot >= node.firstSlot).toReversed();
      const from = newestFirst.findIndex(({ signature }) => signature === before) + 1;
      if (before !== undefined && (from === 0 || node.isUnknown(before))) return [];
      const page = newestFirst.slice(from, from + limit);
      node.listed += page.length;
      return page;
    },
    firstAvailableSlot: async () => node.firstSlot,
    transaction: async (signature: string) => {
      const fault = node.faultOf(signature);
      if (fault !== null) throw fault;
      const record = history.find((candidate) => candidate.signature === signature);
      return record === undefined ? null : emptyTransactionAt(record.slot);
    },
  };
  return node;
}

const createFeed = (node: ReturnType<typeof nodeWith>): ProgramFeed =>
  createProgramFeed({
    program,
    batchSize: 400,
    overlapSlots: 8n,
    maxKept: 1_500,
    readOnOne: (run) => run(node),
  });

/** What the reader stores: a cursor and places. */
function createReader() {
  const places: FeedPlace[] = [];
  const delivered: string[] = [];
  let cursor: FeedCursor | null = null;
  return {
    places,
    delivered,
    cursorSlot: () => cursor?.slot ?? null,
    startAt: (slot: bigint) => {
      cursor = { slot };
    },
    read: async (feed: ProgramFeed): Promise<boolean> => {
      const above = places.filter(({ slot }) => slot >= (cursor?.slot ?? 0n));
      const place = above.toSorted((a, b) => Number(a.slot - b.slot))[0] ?? null;
      const batch = await feed.read({ cursor, place, again: [] });
      delivered.push(...batch.transactions.map(({ signature }) => signature));
      ({ cursor } = batch);
      if (batch.pausedAt !== null) places.push(batch.pausedAt);
      const passed = places.findIndex(({ before }) => before === batch.passed?.before);
      if (passed !== -1) places.splice(passed, 1);
      return batch.caughtUp;
    },
  };
}

describe('a backlog that is larger than the feed may keep', () => {
  it('is delivered whole and in order, and listed once down and once up', async () => {
    const history = historyOf(30_345);
    const node = nodeWith(history);
    const feed = createFeed(node);
    const reader = createReader();
    while (!(await reader.read(feed)));
    expect(reader.delivered).toEqual(history.map(({ signature }) => signature));
    expect(reader.places).toEqual([]);
    // On the way up each two new pages need a third, which reaches what is delivered.
    expect(node.listed).toBeLessThan(3 * history.length);
  });

  it('is continued by other processes, wherever one ends, and none begins at the newest', async () => {
    const history = historyOf(12_345);
    const node = nodeWith(history);
    const reader = createReader();
    await reader.read(createFeed(node));
    node.listed = 0;
    while (!(await reader.read(createFeed(node))));
    expect([...new Set(reader.delivered)]).toEqual(history.map(({ signature }) => signature));
    // Each of these processes reads one batch; beginning at the newest each time lists 12 times more.
    expect(node.listed).toBeLessThan(10 * history.length);
  });

  it('is delivered whole although the node forgets places', async () => {
    const history = historyOf(6_000);
    const node = nodeWith(history);
    const feed = createFeed(node);
    const reader = createReader();
    await reader.read(feed);
    await reader.read(feed);
    const gone = new Set(reader.places.map(({ before }) => before));
    expect(gone.size).toBe(2);
    for (const [index, { signature }] of history.entries()) {
      if (gone.has(signature))
        history[index] = { signature: `new${index}`, slot: BigInt(index), err: 'failed' };
    }
    while (!(await reader.read(feed)));
    expect(reader.delivered).toEqual(history.map(({ signature }) => signature));
  });
});

describe('a list that is not whole', () => {
  it('delivers nothing when a node behind the endpoint does not know where a page begins', async () => {
    const node = nodeWith(historyOf(1_400));
    const reader = createReader();
    node.isUnknown = () => true;
    await expect(reader.read(createFeed(node))).rejects.toThrow('lost the place');
    expect([reader.delivered, reader.cursorSlot()]).toEqual([[], null]);
    node.isUnknown = () => false;
    const feed = createFeed(node);
    while (!(await reader.read(feed)));
    expect(reader.delivered).toHaveLength(1_400);
  });

  it('delivers nothing when the node’s history begins after the cursor', async () => {
    const node = nodeWith(historyOf(500));
    const reader = createReader();
    reader.startAt(100n);
    node.firstSlot = 200n;
    await expect(reader.read(createFeed(node))).rejects.toThrow('does not reach back to slot 100');
    expect([reader.delivered, reader.cursorSlot()]).toEqual([[], 100n]);
  });
});

describe('transactions that cannot be read', () => {
  const fault = new AppError('RPC_UNAVAILABLE', { reason: 'too large' });

  it('are an outage when no other can be read either: nothing is delivered', async () => {
    const node = nodeWith(succeeded(30));
    node.faultOf = () => fault;
    const reader = createReader();
    await expect(reader.read(createFeed(node))).rejects.toThrow('too large');
    expect([reader.delivered, reader.cursorSlot()]).toEqual([[], null]);
  });

  it('are delivered as unreadable when one that was read before can still be read', async () => {
    const history = succeeded(3);
    const node = nodeWith(history);
    const feed = createFeed(node);
    await feed.read({ cursor: null, place: null, again: [] });
    history.push({ signature: 'large', slot: 4n, err: null });
    node.faultOf = (signature) => (signature === 'large' ? fault : null);
    const { transactions, cursor } = await feed.read({
      cursor: { slot: 2n },
      place: null,
      again: [],
    });
    expect(transactions).toMatchObject([{ signature: 'large', unreadable: fault.message }]);
    expect(cursor).toEqual({ slot: 4n });
    node.faultOf = () => fault;
    history.push({ signature: 'larger', slot: 5n, err: null });
    await expect(feed.read({ cursor, place: null, again: [] })).rejects.toThrow('too large');
  });

  it('are read from another endpoint that has them', async () => {
    const node = nodeWith(succeeded(3));
    node.faultOf = (signature) => (signature === 's1' ? fault : null);
    const feed = createProgramFeed({
      program,
      batchSize: 400,
      overlapSlots: 8n,
      readOnOne: (run) => run(node),
      readAnywhere: async (signature) => (signature === 's1' ? emptyTransactionAt(1n) : null),
    });
    const { transactions } = await feed.read({ cursor: null, place: null, again: [] });
    expect(transactions.map(({ unreadable }) => unreadable)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('are left for later when the node stops returning others after them', async () => {
    const node = nodeWith(succeeded(30));
    let left = 20;
    node.faultOf = () => {
      left -= 1;
      return left < 0 ? fault : null;
    };
    const reader = createReader();
    await reader.read(createFeed(node));
    expect([reader.delivered.length, reader.cursorSlot()]).toEqual([20, 19n]);
  });

  it('are left for later when the node refuses for now', async () => {
    const node = nodeWith(succeeded(30));
    const facts = { retryAfterMs: 1_000, isOfMethod: true, detail: '' };
    const cause = new ThrottledError({ by: 'refused', ...facts });
    const throttled = new AppError('RPC_UNAVAILABLE', {}, { cause });
    node.faultOf = (signature) => (signature === 's20' ? throttled : null);
    const reader = createReader();
    await reader.read(createFeed(node));
    expect([reader.delivered.length, reader.cursorSlot()]).toEqual([20, 19n]);
  });

  it('hold up no new one, however many are tried again', async () => {
    const again = succeeded(50);
    const node = nodeWith([...again, { signature: 'new', slot: 99n, err: null }]);
    node.faultOf = (signature) => (signature === 'new' ? null : fault);
    const position = { cursor: { slot: 90n }, place: null, again };
    const { transactions, cursor } = await createFeed(node).read(position);
    const readable = transactions.filter(({ unreadable }) => unreadable === undefined);
    expect(readable.map(({ signature }) => signature)).toEqual(['new']);
    expect([transactions.length, cursor]).toEqual([51, { slot: 99n }]);
  });

  it('are told from an outage by a failed transaction that the node returns', async () => {
    const node = nodeWith([...historyOf(1), { signature: 'large', slot: 1n, err: null }]);
    node.faultOf = (signature) => (signature === 'large' ? fault : null);
    const { transactions } = await createFeed(node).read({ cursor: null, place: null, again: [] });
    expect(transactions).toMatchObject([{ signature: 's0' }, { unreadable: fault.message }]);
  });

  it('are read again on demand, and then do not move the cursor', async () => {
    const node = nodeWith(succeeded(3));
    const feed = createFeed(node);
    await feed.read({ cursor: null, place: null, again: [] });
    const again = [{ signature: 's2', slot: 9n, err: null }];
    const batch = await feed.read({ cursor: { slot: 2n }, place: null, again });
    expect(batch.transactions.map(({ signature }) => signature)).toEqual(['s2']);
    expect(batch.cursor).toEqual({ slot: 2n });
  });
});
