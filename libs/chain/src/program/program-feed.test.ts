import { describe, expect, it } from 'vitest';

import type { ChainTransaction, SignatureRecord } from '../rpc/chain-reads.ts';
import { createProgramFeed, type FeedCursor } from './program-feed.ts';
import { createWalletProgram } from './program.ts';
import type { Rpc } from '../rpc/rpc.ts';

const program = createWalletProgram({
  programId: 'bPnk5YbjddraY6VFyhAFS5at5FXNjEtCoDARzTL8jBm',
  usdcMint: '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU',
});
const emptyAt = (slot: bigint): ChainTransaction => ({
  slot,
  blockTime: null,
  err: null,
  logs: [],
  signatures: [],
  accountKeys: [],
  instructionPrograms: [],
  innerInstructions: [],
  tokenChanges: [],
});

/** A node with a history, oldest first. */
function nodeWith(history: SignatureRecord[], unreadable: ReadonlySet<string> = new Set()) {
  return {
    async signaturesFor(_address: string, { before, limit }: Parameters<Rpc['signaturesFor']>[1]) {
      const newestFirst = history.toReversed();
      const from = newestFirst.findIndex(({ signature }) => signature === before) + 1;
      return newestFirst.slice(from, from + limit);
    },
    async transaction(signature: string) {
      const record = history.find((candidate) => candidate.signature === signature);
      if (record === undefined || unreadable.has(signature)) return null;
      return emptyAt(record.slot);
    },
  };
}

const historyOf = (count: number): SignatureRecord[] =>
  Array.from({ length: count }, (_, i) => ({
    signature: `s${i}`,
    slot: BigInt(Math.floor(i / 3)),
    err: i % 7 === 0 ? 'failed' : null,
  }));

async function readAll(
  feed: ReturnType<typeof createProgramFeed>,
  start: FeedCursor | null,
): Promise<{ signatures: string[]; cursor: FeedCursor | null }> {
  const signatures: string[] = [];
  let cursor = start;
  for (let reads = 0; reads < 200; reads += 1) {
    const batch = await feed.read(cursor);
    signatures.push(...batch.transactions.map(({ signature }) => signature));
    cursor = batch.cursor;
    if (batch.caughtUp) return { signatures, cursor };
  }
  throw new Error('the feed never caught up');
}

const feedOf = (...node: Parameters<typeof nodeWith>) =>
  createProgramFeed({
    program,
    batchSize: 50,
    overlapSlots: 8n,
    readOnOne: (run) => run(nodeWith(...node)),
  });

describe('the program feed', () => {
  it('delivers a long history once and in order', async () => {
    const history = historyOf(2_345);
    const feed = feedOf(history);
    const { signatures, cursor } = await readAll(feed, null);
    expect(signatures).toEqual(history.map(({ signature }) => signature));
    expect(cursor).toEqual({ slot: history.at(-1)?.slot });
    expect((await feed.read(cursor)).transactions).toEqual([]);
  });

  it('delivers forgotten transactions again', async () => {
    const history = historyOf(60);
    const feed = feedOf(history);
    await readAll(feed, null);
    expect((await feed.read({ slot: 10n })).transactions.map(({ slot }) => slot)).not.toContain(
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
    const batch = await feed.read(cursor);
    expect(batch.transactions.map(({ signature }) => signature)).toEqual(['late']);
    expect(batch.cursor).toEqual(cursor);
  });

  it('skips nothing after a restart', async () => {
    const history = historyOf(400);
    const first = feedOf(history);
    const batch = await first.read(null);
    const second = feedOf(history);
    const { signatures } = await readAll(second, batch.cursor);
    const seen = new Set([...batch.transactions.map(({ signature }) => signature), ...signatures]);
    expect(seen.size).toBe(400);
  });

  it('stops before a transaction that cannot be read yet', async () => {
    const feed = feedOf(historyOf(20), new Set(['s11']));
    const batch = await feed.read(null);
    expect(batch.transactions.at(-1)?.signature).toBe('s10');
    expect(batch.caughtUp).toBe(false);
  });

  it('has no cursor before the first transaction', async () => {
    const feed = feedOf([]);
    expect(await feed.read(null)).toEqual({ transactions: [], cursor: null, caughtUp: true });
  });
});
