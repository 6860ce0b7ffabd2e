/**
 * Follows the program's transactions, oldest first, without leaving out any.
 *
 * A node lists the newest first. A walk goes back from the newest to the last one that was walked,
 * and the feed keeps what it found and delivers it in batches, the oldest first. When a walk finds
 * more than the feed may keep, it pauses, and the reader stores the place. The next walk goes down
 * from there, until the oldest are reached and delivered; then the feed continues at the place
 * above. A backlog is therefore walked once down and once up, whichever process does it.
 *
 * Now and then a walk goes back to slightly before the cursor instead: this overlap catches
 * transactions that a node lists late for an earlier slot. Transactions that this process has
 * delivered already are left out. After a restart a few are delivered again, so the reader must be
 * idempotent.
 */

import type { SignatureRecord } from '../rpc/read/chain-reads.ts';
import type { ProgramEvent } from './events.ts';
import type { WalletProgram } from './program.ts';
import { createReadListed, type ReadAnywhere } from './read-listed.ts';
import { type FeedPlace, type FeedRpc, walkProgram } from './walk-program.ts';

/** Most transactions of a backlog that a feed keeps in memory. */
const MAX_KEPT = 5_000;
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
  /** The reader knows it: its events were not read. */
  readonly known?: 'explained' | 'stored';
  /** Why it could not be read, while the node returned others. Its events are unknown. */
  readonly unreadable?: string;
};

/** What the reader has stored. */
export type FeedPosition = {
  /** Null: the feed starts from the beginning. */
  readonly cursor: FeedCursor | null;
  /** The lowest place where a walk has paused; null when there is none. */
  readonly place: FeedPlace | null;
  /** Transactions that were unreadable, to be read and delivered again. */
  readonly again: readonly SignatureRecord[];
  /** A node that has not seen this slot is not read: it would list too few. */
  readonly seenSlot?: bigint;
};

export type FeedBatch = {
  readonly transactions: readonly ProgramTransaction[];
  /** Must be stored together with the results of these transactions. */
  readonly cursor: FeedCursor | null;
  /** Where a walk has paused: must be stored. */
  readonly pausedAt: FeedPlace | null;
  /** A stored place that is no longer needed: must be deleted with the results stored. */
  readonly passed: FeedPlace | null;
  /** False when more transactions are available: read again at once. */
  readonly caughtUp: boolean;
};

/**
 * What the reader knows of transactions that succeeded, by signature. `explained`: it needs no
 * events. `stored`: it has them. `open`: it will explain it soon. Absent: unknown, and read from the
 * chain.
 */
export type Explain = (
  signatures: readonly string[],
) => Promise<ReadonlyMap<string, 'explained' | 'stored' | 'open'>>;

export type ProgramFeedOptions = {
  /** Each read runs on one endpoint: a page of another one's list could skip a transaction. */
  readonly readOnOne: <T>(run: (rpc: FeedRpc) => Promise<T>) => Promise<T>;
  /** For a transaction that this endpoint lists and cannot return. */
  readonly readAnywhere?: ReadAnywhere;
  readonly program: Pick<WalletProgram, 'programId' | 'eventsOf'>;
  /** Without it, every transaction is read from the chain. */
  readonly explain?: Explain;
  /** Maximum number of transactions in one batch. */
  readonly batchSize: number;
  /** How many slots before the cursor a walk over the overlap covers again. */
  readonly overlapSlots: bigint;
  /** Most transactions that the feed keeps in memory. */
  readonly maxKept?: number;
  /** Milliseconds of a clock that never goes back. */
  readonly monotonicMs?: () => number;
};

export type ProgramFeed = {
  /** The next batch after a position. Throws RPC_UNAVAILABLE. */
  read(position: FeedPosition): Promise<FeedBatch>;
  /** Delivers the overlap again: its results are gone or were never stored. */
  forget(): void;
};

/** One feed per process: it remembers its deliveries. */
export function createProgramFeed(options: ProgramFeedOptions): ProgramFeed {
  const { readOnOne, program, explain, batchSize, overlapSlots } = options;
  const { maxKept = MAX_KEPT, monotonicMs = () => performance.now() } = options;
  const readListed = createReadListed(program, options.readAnywhere);
  const delivered = new Map<string, bigint>();
  /** Walked and not delivered, oldest first. */
  let backlog: readonly SignatureRecord[] = [];
  /** Where the walk of the backlog began, if everything below that place is in the backlog. */
  let backlogFrom: FeedPlace | null = null;
  /** Times since which landings of open spends wait, by signature; they stay in the backlog. */
  const openSinceMs = new Map<string, number>();
  /** The last walk left newer ones out. */
  let isMoreListed = false;
  let newestWalked: string | null = null;
  let overlapWalkedAt: bigint | null = null;

  const isExhausted = (): boolean => backlog.length === openSinceMs.size;

  /** Adds to an exhausted backlog what the chain lists. Returns the place where it paused. */
  async function walk(
    rpc: FeedRpc,
    { cursor, place, seenSlot }: FeedPosition,
  ): Promise<FeedPlace | null> {
    const isOverlapDue =
      place !== null ||
      cursor === null ||
      overlapWalkedAt === null ||
      cursor.slot - overlapWalkedAt >= overlapSlots / OVERLAP_WALKS;
    const open = new Set(backlog.map(({ signature }) => signature));
    const walked = await walkProgram(rpc, program.programId, {
      cursor,
      floor: cursor === null ? 0n : cursor.slot - overlapSlots,
      from: place,
      until: isOverlapDue ? null : newestWalked,
      isNew: ({ signature }) => !delivered.has(signature) && !open.has(signature),
      maxKept,
      seenSlot,
    });
    // Only a walk from the newest that held everything tells where the next one may end.
    const isComplete = walked.kind === 'ended' && walked.isWhole;
    isMoreListed = !isComplete;
    backlogFrom = isComplete || walked.kind === 'lost' ? place : null;
    if (!isComplete || place !== null) {
      newestWalked = null;
      overlapWalkedAt = null;
    } else {
      newestWalked = walked.newest ?? newestWalked;
      if (isOverlapDue) overlapWalkedAt = cursor?.slot ?? null;
    }
    if (walked.kind === 'ended') backlog = [...backlog, ...walked.oldest];
    return walked.kind === 'paused' ? walked.place : null;
  }

  /** Reads what is unknown, and leaves landings of open spends in the backlog for a while. */
  async function loadInOrder(
    rpc: FeedRpc,
    records: readonly SignatureRecord[],
    again: readonly SignatureRecord[],
  ): Promise<{ readonly newer: ProgramTransaction[]; readonly older: ProgramTransaction[] }> {
    const succeeded = [...again, ...records].filter(({ err }) => err === null);
    const known = await explain?.(succeeded.map(({ signature }) => signature));
    const isLeftOpen = ({ signature }: SignatureRecord): boolean => {
      if (known?.get(signature) !== 'open') return false;
      const sinceMs = openSinceMs.get(signature) ?? monotonicMs();
      openSinceMs.set(signature, sinceMs);
      return monotonicMs() - sinceMs < OPEN_FOR_MS;
    };
    const knownAs = ({ signature }: SignatureRecord): ProgramTransaction['known'] => {
      const what = known?.get(signature);
      return what === 'open' ? undefined : what;
    };
    const due = records.filter((record) => !isLeftOpen(record));
    // The new ones first: those of `again` may all be unreadable for ever.
    const unknown = [...due, ...again].filter((record) => knownAs(record) === undefined);
    const landed = succeeded.find((record) => knownAs(record) !== undefined)?.signature ?? null;
    const loaded = await readListed(rpc, unknown, landed);
    const inOrder = (listed: readonly SignatureRecord[]): ProgramTransaction[] => {
      const transactions: ProgramTransaction[] = [];
      for (const record of listed) {
        const { signature, slot } = record;
        const what = knownAs(record);
        const transaction =
          what === undefined
            ? loaded.get(signature)
            : { signature, slot, err: null, events: [], known: what };
        if (transaction === undefined) break;
        transactions.push(transaction);
      }
      return transactions;
    };
    return { newer: inOrder(due), older: inOrder(again) };
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
    async read(position) {
      const { cursor, place, again } = position;
      const { newer, older, pausedAt } = await readOnOne(async (rpc) => {
        const paused = isExhausted() ? await walk(rpc, position) : null;
        const next = backlog.slice(0, batchSize + openSinceMs.size);
        const listed = new Set(next.map(({ signature }) => signature));
        const others = again.filter(({ signature }) => !listed.has(signature));
        return { ...(await loadInOrder(rpc, next, others)), pausedAt: paused };
      });
      // Those that are read again lie behind the cursor and must not move it.
      const moved = deliver(newer, cursor);
      const passed = isExhausted() ? backlogFrom : null;
      if (passed !== null) backlogFrom = null;
      return {
        transactions: [...older, ...newer],
        cursor: moved,
        pausedAt,
        passed,
        caughtUp: isExhausted() && place === null && !isMoreListed,
      };
    },
    forget: () => {
      delivered.clear();
      openSinceMs.clear();
      backlog = [];
      backlogFrom = null;
      newestWalked = null;
      overlapWalkedAt = null;
    },
  };
}
