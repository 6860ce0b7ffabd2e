import { describe, expect, it } from 'vitest';

import { emptyTransactionAt } from '../../../../tests/support/chain/empty-transaction.ts';
import type { SignatureRecord } from '../rpc/read/chain-reads.ts';
import { createProgramFeed, type FeedCursor, type FeedPosition } from './program-feed.ts';
import { createWalletProgram } from './program.ts';
import type { Rpc } from '../rpc/rpc.ts';

const program = createWalletProgram({
  programId: 'bPnk5YbjddraY6VFyhAFS5at5FXNjEtCoDARzTL8jBm',
  usdcMint: '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU',
});

/** A node with a history, oldest first. */
function nodeWith(history: SignatureRecord[], unreadable: ReadonlySet<string> = new Set()) {
  return {
    listed: 0,
    read: [] as string[],
    minSlots: [] as (bigint | undefined)[],
    async signaturesFor(_address: string, query: Parameters<Rpc['signaturesFor']>[1]) {
      const { before, until, limit, minContextSlot } = query;
      this.minSlots.push(minContextSlot);
      const newestFirst = history.toReversed();
      const from = newestFirst.findIndex(({ signature }) => signature === before) + 1;
      if (before !== undefined && from === 0) return [];
      const end = newestFirst.findIndex(({ signature }) => signature === until);
      const page = newestFirst.slice(from, end === -1 ? undefined : end).slice(0, limit);
      this.listed += page.length;
      return page;
    },
    firstAvailableSlot: async () => 0n,
    async transaction(signature: string) {
      this.read.push(signature);
      const record = history.find((candidate) => candidate.signature === signature);
      if (record === undefined || unreadable.has(signature)) return null;
      return emptyTransactionAt(record.slot);
    },
  };
}

const at = (cursor: FeedCursor | null): FeedPosition => ({ cursor, place: null, again: [] });

const historyOf = (count: number): SignatureRecord[] =>
  Array.from({ length: count }, (_, i) => ({
    signature: `s${i}`,
    slot: BigInt(Math.floor(i / 3)),
    err: i % 7 === 0 ? 'failed' : null,
  }));

async function readAll(
  feed: ReturnType<typeof createProgramFeed>,
  start: FeedCursor | null,
): Promise<{ signatures: string[]; unreadable: string[]; cursor: FeedCursor | null }> {
  const signatures: string[] = [];
  const unreadable: string[] = [];
  let cursor = start;
  for (let reads = 0; reads < 200; reads += 1) {
    const batch = await feed.read(at(cursor));
    signatures.push(...batch.transactions.map(({ signature }) => signature));
    unreadable.push(
      ...batch.transactions
        .filter((one) => one.unreadable !== undefined)
        .map((one) => one.signature),
    );
    cursor = batch.cursor;
    if (batch.caughtUp) return { signatures, unreadable, cursor };
  }
  throw new Error('the feed never caught up');
}

const OPTIONS = { program, batchSize: 50, overlapSlots: 8n };
const feedOf = (...node: Parameters<typeof nodeWith>) =>
  createProgramFeed({ ...OPTIONS, readOnOne: (run) => run(nodeWith(...node)) });

describe('the program feed', () => {
  it('delivers a long history once and in order', async () => {
    const history = historyOf(2_345);
    const feed = feedOf(history);
    const { signatures, cursor } = await readAll(feed, null);
    expect(signatures).toEqual(history.map(({ signature }) => signature));
    expect(cursor).toEqual({ slot: history.at(-1)?.slot });
    expect((await feed.read(at(cursor))).transactions).toEqual([]);
  });

  it('delivers forgotten transactions again', async () => {
    const history = historyOf(60);
    const feed = feedOf(history);
    await readAll(feed, null);
    expect((await feed.read(at({ slot: 10n }))).transactions.map(({ slot }) => slot)).not.toContain(
      18n,
    );
    feed.forget();
    const { signatures } = await readAll(feed, { slot: 10n });
    expect(signatures).toEqual(
      history.filter(({ slot }) => slot >= 2n).map((one) => one.signature),
    );
  });

  it('delivers a transaction that a node listed late, within the overlap', async () => {
    const history = historyOf(30);
    const feed = feedOf(history);
    const { cursor } = await readAll(feed, null);
    history.splice(20, 0, { signature: 'late', slot: 6n, err: null });
    const batch = await feed.read(at(cursor));
    expect(batch.transactions.map(({ signature }) => signature)).toEqual(['late']);
    expect(batch.cursor).toEqual(cursor);
  });

  it('skips nothing after a restart', async () => {
    const history = historyOf(400);
    const first = feedOf(history);
    const batch = await first.read(at(null));
    const second = feedOf(history);
    const { signatures } = await readAll(second, batch.cursor);
    const seen = new Set([...batch.transactions.map(({ signature }) => signature), ...signatures]);
    expect(seen.size).toBe(400);
  });

  it('delivers a transaction that stays unreadable as such, and the others with their events', async () => {
    const { signatures, unreadable } = await readAll(feedOf(historyOf(20), new Set(['s11'])), null);
    expect(signatures).toHaveLength(20);
    expect(unreadable).toEqual(['s11']);
  });

  it('has no cursor before the first transaction', async () => {
    const feed = feedOf([]);
    expect(await feed.read(at(null))).toEqual({
      transactions: [],
      cursor: null,
      pausedAt: null,
      passed: null,
      caughtUp: true,
    });
  });
});

describe('a walk of the program feed', () => {
  it('lists a long backlog once', async () => {
    const node = nodeWith(historyOf(2_345));
    const feed = createProgramFeed({ ...OPTIONS, readOnOne: (run) => run(node) });
    await readAll(feed, null);
    // Each page repeats one transaction, which proves that the node knows where it continues.
    expect(node.listed).toBe(2_347);
  });

  it('ends at the last one, and goes back over the overlap once the chain has moved on', async () => {
    const history = historyOf(300);
    const node = nodeWith(history);
    const feed = createProgramFeed({ ...OPTIONS, readOnOne: (run) => run(node) });
    let { cursor } = await readAll(feed, null);
    ({ cursor } = await feed.read(at(cursor)));
    const before = node.listed;
    history.splice(290, 0, { signature: 'late', slot: 96n, err: null });
    const quick = await feed.read(at(cursor));
    expect([node.listed - before, quick.transactions]).toEqual([0, []]);
    history.push({ signature: 'new', slot: 103n, err: null });
    const newer = await feed.read(at(cursor));
    expect(newer.transactions.map(({ signature }) => signature)).toEqual(['new']);
    const overlap = await feed.read(at(newer.cursor));
    expect(overlap.transactions.map(({ signature }) => signature)).toEqual(['late']);
    expect(overlap.cursor).toEqual({ slot: 103n });
  });
});

it('is read only from a node that has seen the slot which the reader names', async () => {
  const node = nodeWith([{ signature: 'a', slot: 5n, err: null }]);
  for (const seenSlot of [undefined, 4n, 6n]) {
    const feed = createProgramFeed({ ...OPTIONS, readOnOne: (run) => run(node) });
    await feed.read({ ...at({ slot: 5n }), ...(seenSlot === undefined ? {} : { seenSlot }) });
  }
  expect(node.minSlots).toEqual([5n, 5n, 6n]);
});

describe('what the reader explains', () => {
  const history: SignatureRecord[] = ['a', 'b', 'c'].map((signature, index) => ({
    signature,
    slot: BigInt(index),
    err: null,
  }));
  const explaining = (known: ReadonlyMap<string, 'explained' | 'open'>) => {
    const node = nodeWith(history);
    const clock = { nowMs: 0 };
    const feed = createProgramFeed({
      ...OPTIONS,
      readOnOne: (run) => run(node),
      explain: async () => known,
      monotonicMs: () => clock.nowMs,
    });
    return { node, clock, feed };
  };

  it('is not read from the chain, and everything else is', async () => {
    const { node, feed } = explaining(new Map([['b', 'explained']]));
    const { transactions } = await feed.read(at(null));
    expect(transactions.map(({ signature }) => signature)).toEqual(['a', 'b', 'c']);
    expect(transactions.map(({ known }) => known === 'explained')).toEqual([false, true, false]);
    expect(node.read).toEqual(['a', 'c']);
  });

  it('is delivered once its spend is no longer open, and holds up no other', async () => {
    const known = new Map<string, 'explained' | 'open'>([['a', 'open']]);
    const { node, feed } = explaining(known);
    const first = await feed.read(at(null));
    expect(first.transactions.map(({ signature }) => signature)).toEqual(['b', 'c']);
    expect(first.caughtUp).toBe(true);
    expect((await feed.read(at(first.cursor))).transactions).toEqual([]);
    known.set('a', 'explained');
    const settled = await feed.read(at(first.cursor));
    expect(settled.transactions).toMatchObject([{ signature: 'a', known: 'explained' }]);
    expect(settled.cursor).toEqual(first.cursor);
    expect(node.read).toEqual(['b', 'c']);
  });

  it('is read after two seconds in which its spend stays open', async () => {
    const { node, clock, feed } = explaining(new Map([['a', 'open']]));
    const { cursor } = await feed.read(at(null));
    clock.nowMs = 1_999;
    expect((await feed.read(at(cursor))).transactions).toEqual([]);
    clock.nowMs = 2_000;
    expect((await feed.read(at(cursor))).transactions).toMatchObject([{ signature: 'a' }]);
    expect(node.read).toEqual(['b', 'c', 'a']);
  });
});
