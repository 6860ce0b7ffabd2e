/**
 * Follows the program's transactions in order, oldest first, without skipping any.
 *
 * A node lists the newest first. A walk goes back from the newest to the last one that was walked,
 * and the feed keeps what it found and delivers it in batches, the oldest first. Now and then a
 * walk goes back to slightly before the cursor instead: this overlap catches transactions that a
 * node lists late for an earlier slot. Transactions that this process has delivered already are
 * left out. After a restart a few are delivered again, so the reader must be idempotent.
 */

import type { SignatureRecord } from '../rpc/chain-reads.ts';
import type { ProgramEvent } from './events.ts';
import type { WalletProgram } from './program.ts';
import { type FeedRpc, walkProgram } from './walk-program.ts';

const CONCURRENT_READS = 8;
/** A landing of an open spend is left to its own watch for so long. */
const OPEN_FOR_MS = 2_000;
/** The overlap is walked again this many times before the cursor has left it. */
const OVERLAP_WALKS = 4n;

/** All transactions up to this slot were delivered, except those listed late in the overlap. */
export type FeedCursor = { readonly slot: bigint };

export type ProgramTransaction = {
  readonly signature: string;
  readonly slot: bigint;
  /** Null when it succeeded; a failed one has no events. */
  readonly err: unknown;
  readonly events: readonly ProgramEvent[];
  /** The reader explained it without its events, which were not read. */
  readonly isExplained?: boolean;
};

export type FeedBatch = {
  readonly transactions: readonly ProgramTransaction[];
  /** Must be stored together with the results of these transactions. */
  readonly cursor: FeedCursor | null;
  /** False when more transactions are available: read again at once. */
  readonly caughtUp: boolean;
};

/**
 * What the reader knows of transactions that succeeded, by signature. `explained`: it needs no
 * events. `open`: it will explain it soon. Absent: unknown, and read from the chain.
 */
export type Explain = (
  signatures: readonly string[],
) => Promise<ReadonlyMap<string, 'explained' | 'open'>>;

export type ProgramFeedOptions = {
  /** Each read runs on one endpoint: a page of another one's list could skip a transaction. */
  readonly readOnOne: <T>(run: (rpc: FeedRpc) => Promise<T>) => Promise<T>;
  readonly program: Pick<WalletProgram, 'programId' | 'eventsOf'>;
  /** Without it, every transaction is read from the chain. */
  readonly explain?: Explain;
  /** Maximum number of transactions in one batch. */
  readonly batchSize: number;
  /** How many slots before the cursor a walk over the overlap covers again. */
  readonly overlapSlots: bigint;
  /** Milliseconds of a clock that never goes back. */
  readonly monotonicMs?: () => number;
};

export type ProgramFeed = {
  /** The next batch after `cursor` (null: from the beginning). Throws RPC_UNAVAILABLE. */
  read(cursor: FeedCursor | null): Promise<FeedBatch>;
  /** Delivers the overlap again: its results are gone or were never stored. */
  forget(): void;
};

/** One feed per process: it remembers its deliveries. */
export function createProgramFeed(options: ProgramFeedOptions): ProgramFeed {
  const { readOnOne, program, explain, batchSize, overlapSlots } = options;
  const { monotonicMs = () => performance.now() } = options;
  const delivered = new Map<string, bigint>();
  /** Walked and not delivered, oldest first. */
  let backlog: readonly SignatureRecord[] = [];
  /** Times since which landings of open spends wait, by signature; they stay in the backlog. */
  const openSinceMs = new Map<string, number>();
  let newestWalked: string | null = null;
  let overlapWalkedAt: bigint | null = null;

  /** Adds to an exhausted backlog what the chain has listed since the last walk. */
  async function walk(rpc: FeedRpc, cursor: FeedCursor | null): Promise<void> {
    const isOverlapDue =
      cursor === null ||
      overlapWalkedAt === null ||
      cursor.slot - overlapWalkedAt >= overlapSlots / OVERLAP_WALKS;
    const open = new Set(backlog.map(({ signature }) => signature));
    const walked = await walkProgram(rpc, program.programId, {
      cursor,
      floor: cursor === null ? 0n : cursor.slot - overlapSlots,
      until: isOverlapDue ? null : newestWalked,
      isNew: ({ signature }) => !delivered.has(signature) && !open.has(signature),
    });
    backlog = [...backlog, ...walked.oldest];
    // After a walk that could not hold everything, the next one must not end at its newest.
    newestWalked = walked.isWhole ? (walked.newest ?? newestWalked) : null;
    if (isOverlapDue) overlapWalkedAt = walked.isWhole ? (cursor?.slot ?? null) : null;
  }

  async function load(rpc: FeedRpc, record: SignatureRecord): Promise<ProgramTransaction | null> {
    const { signature, slot, err } = record;
    if (err !== null) return { signature, slot, err, events: [] };
    const transaction = await rpc.transaction(signature, 'confirmed');
    if (transaction === null) return null;
    const events = program.eventsOf(transaction);
    return { signature, slot, err: transaction.err, events };
  }

  /** Loads what is unknown. Stops before one that is listed and not readable yet. */
  async function loadInOrder(
    rpc: FeedRpc,
    records: readonly SignatureRecord[],
  ): Promise<ProgramTransaction[]> {
    const succeeded = records.filter(({ err }) => err === null);
    const known = await explain?.(succeeded.map(({ signature }) => signature));
    const isLeftOpen = ({ signature }: SignatureRecord): boolean => {
      if (known?.get(signature) !== 'open') return false;
      const sinceMs = openSinceMs.get(signature) ?? monotonicMs();
      openSinceMs.set(signature, sinceMs);
      return monotonicMs() - sinceMs < OPEN_FOR_MS;
    };
    const isExplained = ({ signature }: SignatureRecord): boolean =>
      known?.get(signature) === 'explained';
    const due = records.filter((record) => !isLeftOpen(record));
    const unknown = due.filter((record) => !isExplained(record));
    const loaded = new Map<string, ProgramTransaction>();
    for (let first = 0; first < unknown.length; first += CONCURRENT_READS) {
      const loading = unknown.slice(first, first + CONCURRENT_READS);
      const batch = await Promise.all(loading.map((record) => load(rpc, record)));
      const readable = batch.filter((transaction) => transaction !== null);
      for (const transaction of readable) loaded.set(transaction.signature, transaction);
      if (readable.length < batch.length) break;
    }
    const transactions: ProgramTransaction[] = [];
    for (const record of due) {
      const { signature, slot } = record;
      const transaction = isExplained(record)
        ? { signature, slot, err: null, events: [], isExplained: true }
        : loaded.get(signature);
      if (transaction === undefined) break;
      transactions.push(transaction);
    }
    return transactions;
  }

  function deliver(
    transactions: readonly ProgramTransaction[],
    cursor: FeedCursor | null,
  ): FeedCursor | null {
    for (const { signature, slot } of transactions) {
      delivered.set(signature, slot);
      openSinceMs.delete(signature);
    }
    backlog = backlog.filter(({ signature }) => !delivered.has(signature));
    const slots = transactions.map(({ slot }) => slot);
    if (cursor !== null) slots.push(cursor.slot);
    if (slots.length === 0) return null;
    const slot = slots.reduce((newest, one) => (one > newest ? one : newest));
    for (const [signature, deliveredSlot] of delivered) {
      if (deliveredSlot < slot - overlapSlots) delivered.delete(signature);
    }
    return { slot };
  }

  return {
    async read(cursor) {
      const transactions = await readOnOne(async (rpc) => {
        if (backlog.length === openSinceMs.size) await walk(rpc, cursor);
        return loadInOrder(rpc, backlog.slice(0, batchSize + openSinceMs.size));
      });
      const next = deliver(transactions, cursor);
      return { transactions, cursor: next, caughtUp: backlog.length === openSinceMs.size };
    },
    forget: () => {
      delivered.clear();
      openSinceMs.clear();
      backlog = [];
      newestWalked = null;
      overlapWalkedAt = null;
    },
  };
}
