/**
 * Follows the program's transactions in order, oldest first, without skipping any.
 *
 * A node lists the newest first, so each read walks back from the newest to slightly before the
 * cursor and delivers the oldest part. The overlap catches transactions that a node lists late for
 * an earlier slot; transactions that this process has delivered already are left out. After a
 * restart a few are delivered again, so the reader must be idempotent.
 */

import type { SignatureRecord } from '../rpc/chain-reads.ts';
import type { ProgramEvent } from './events.ts';
import type { WalletProgram } from './program.ts';
import type { Rpc } from '../rpc/rpc.ts';

const PAGE_SIZE = 1_000;
const MAX_PAGES = 10_000;
const CONCURRENT_READS = 8;

/** All transactions up to this slot were delivered, except those listed late in the overlap. */
export type FeedCursor = { readonly slot: bigint };

export type ProgramTransaction = {
  readonly signature: string;
  readonly slot: bigint;
  /** Null when it succeeded; a failed one has no events. */
  readonly err: unknown;
  readonly events: readonly ProgramEvent[];
};

export type FeedBatch = {
  readonly transactions: readonly ProgramTransaction[];
  /** Must be stored together with the results of these transactions. */
  readonly cursor: FeedCursor | null;
  /** False when more transactions are available: read again at once. */
  readonly caughtUp: boolean;
};

type FeedRpc = Pick<Rpc, 'signaturesFor' | 'transaction'>;

export type ProgramFeedOptions = {
  /** Each read runs on one endpoint: a page of another one's list could skip a transaction. */
  readonly readOnOne: <T>(run: (rpc: FeedRpc) => Promise<T>) => Promise<T>;
  readonly program: WalletProgram;
  /** Maximum number of transactions in one batch. */
  readonly batchSize: number;
  /** How many slots before the cursor each read covers again. */
  readonly overlapSlots: bigint;
};

export type ProgramFeed = {
  /** The next batch after `cursor` (null: from the beginning). Throws RPC_UNAVAILABLE. */
  read(cursor: FeedCursor | null): Promise<FeedBatch>;
  /** Delivers the overlap again: its results are gone or were never stored. */
  forget(): void;
};

/** Oldest first. A signature on two pages is listed once. */
type Unread = { readonly oldest: readonly SignatureRecord[]; readonly more: boolean };

/** Drops the signatures before the overlap. */
function forgetBefore(delivered: Map<string, bigint>, slot: bigint): void {
  for (const [signature, deliveredSlot] of delivered) {
    if (deliveredSlot < slot) delivered.delete(signature);
  }
}

/** One feed per process: it remembers its deliveries. */
export function createProgramFeed(options: ProgramFeedOptions): ProgramFeed {
  const { readOnOne, program, batchSize, overlapSlots } = options;
  const delivered = new Map<string, bigint>();

  async function unreadSince(rpc: FeedRpc, cursor: FeedCursor | null): Promise<Unread> {
    const floor = cursor === null ? 0n : cursor.slot - overlapSlots;
    const kept = new Map<string, SignatureRecord>();
    let more = false;
    let before: string | undefined;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const records = await rpc.signaturesFor(program.programId, {
        limit: PAGE_SIZE,
        commitment: 'confirmed',
        ...(before === undefined ? {} : { before }),
        ...(cursor === null ? {} : { minContextSlot: cursor.slot }),
      });
      for (const record of records) {
        if (record.slot >= floor && !delivered.has(record.signature)) {
          kept.set(record.signature, record);
        }
      }
      // Only the oldest are delivered now; the next read lists the newer ones again.
      for (const signature of kept.keys()) {
        if (kept.size <= batchSize) break;
        kept.delete(signature);
        more = true;
      }
      const last = records.at(-1);
      if (last === undefined || records.length < PAGE_SIZE || last.slot < floor) {
        return { oldest: [...kept.values()].toReversed(), more };
      }
      before = last.signature;
    }
    throw new RangeError(`more than ${MAX_PAGES * PAGE_SIZE} signatures since the cursor`);
  }

  async function load(rpc: FeedRpc, record: SignatureRecord): Promise<ProgramTransaction | null> {
    const { signature, slot, err } = record;
    if (err !== null) return { signature, slot, err, events: [] };
    const transaction = await rpc.transaction(signature, 'confirmed');
    if (transaction === null) return null;
    return { signature, slot, err: transaction.err, events: program.eventsOf(transaction) };
  }

  async function loadInOrder(
    rpc: FeedRpc,
    records: readonly SignatureRecord[],
  ): Promise<ProgramTransaction[]> {
    const loaded: ProgramTransaction[] = [];
    for (let first = 0; first < records.length; first += CONCURRENT_READS) {
      const loading = records.slice(first, first + CONCURRENT_READS);
      const batch = await Promise.all(loading.map((record) => load(rpc, record)));
      for (const transaction of batch) {
        // Listed but not readable yet: stop before it, so that it is not skipped.
        if (transaction === null) return loaded;
        loaded.push(transaction);
      }
    }
    return loaded;
  }

  return {
    async read(cursor) {
      const { oldest, more, transactions } = await readOnOne(async (rpc) => {
        const unread = await unreadSince(rpc, cursor);
        return { ...unread, transactions: await loadInOrder(rpc, unread.oldest) };
      });
      for (const { signature, slot } of transactions) delivered.set(signature, slot);
      const lastSlot = transactions.at(-1)?.slot ?? 0n;
      const next =
        transactions.length === 0
          ? cursor
          : { slot: cursor === null || lastSlot > cursor.slot ? lastSlot : cursor.slot };
      if (next !== null) forgetBefore(delivered, next.slot - overlapSlots);
      return {
        transactions,
        cursor: next,
        caughtUp: !more && transactions.length === oldest.length,
      };
    },
    forget: () => delivered.clear(),
  };
}
