/** One walk over the list of the program's transactions, from the newest or a stored place back. */

import { AppError } from '@agent-wallet/errors';

import type { SignatureRecord } from '../rpc/read/chain-reads.ts';
import type { Rpc } from '../rpc/rpc.ts';
import type { FeedCursor } from './program-feed.ts';

const PAGE_SIZE = 1_000;
const MAX_PAGES = 10_000;

export type FeedRpc = Pick<Rpc, 'signaturesFor' | 'transaction' | 'firstAvailableSlot'>;

/**
 * Where a walk can continue: below the transaction `before`, with the transaction `next`. A node
 * that does not know `before` returns an empty list, so a page counts only if it contains `next`.
 */
export type FeedPlace = {
  readonly before: string;
  readonly next: string;
  /** Slot of `next`. */
  readonly slot: bigint;
};

export type Walked =
  | {
      readonly kind: 'ended';
      /** Oldest first. A signature on two pages is listed once. */
      readonly oldest: readonly SignatureRecord[];
      /** The first of the list; null when it was empty. */
      readonly newest: string | null;
      /** False when there were more than one walk may keep. */
      readonly isWhole: boolean;
    }
  /** There are more than one walk may keep; the older ones begin here. */
  | { readonly kind: 'paused'; readonly place: FeedPlace }
  /** The node does not know the place from which the walk should have continued. */
  | { readonly kind: 'lost' };

/**
 * Lists the new transactions down to the slot `floor`, or to the signature `until` if the node
 * knows it. Throws RPC_UNAVAILABLE when a page cannot be read, or when the node's history does not
 * reach back to the cursor.
 */
export async function walkProgram(
  rpc: Pick<FeedRpc, 'signaturesFor' | 'firstAvailableSlot'>,
  programId: string,
  walk: {
    readonly cursor: FeedCursor | null;
    readonly floor: bigint;
    readonly from: FeedPlace | null;
    readonly until: string | null;
    readonly isNew: (record: SignatureRecord) => boolean;
    /** Bounds the memory. */
    readonly maxKept: number;
    /** The node must have seen this slot, beside that of the place or the cursor. */
    readonly seenSlot?: bigint | undefined;
  },
): Promise<Walked> {
  const { cursor, floor, from, until, isNew, maxKept, seenSlot } = walk;
  const kept = new Map<string, SignatureRecord>();
  const ownSlot = from?.slot ?? cursor?.slot;
  const minContextSlot =
    ownSlot !== undefined && (seenSlot === undefined || ownSlot > seenSlot) ? ownSlot : seenSlot;
  let isWhole = true;
  let newest: string | null = null;
  let place = from;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const records = await rpc.signaturesFor(programId, {
      limit: PAGE_SIZE,
      commitment: 'confirmed',
      ...(place === null ? {} : { before: place.before }),
      ...(until === null ? {} : { until }),
      ...(minContextSlot === undefined ? {} : { minContextSlot }),
    });
    const next = place?.next;
    if (next !== undefined && !records.some(({ signature }) => signature === next)) {
      if (page === 0) return { kind: 'lost' };
      throw new AppError('RPC_UNAVAILABLE', { reason: 'the node lost the place of a walk' });
    }
    newest ??= records[0]?.signature ?? null;
    for (const record of records) {
      if (record.slot >= floor && isNew(record)) kept.set(record.signature, record);
    }
    const [beforeLast, last] = records.slice(-2);
    if (beforeLast === undefined || last === undefined || records.length < PAGE_SIZE) {
      const oldestSlot = records.at(-1)?.slot;
      if (
        cursor !== null &&
        until === null &&
        !(oldestSlot !== undefined && oldestSlot <= cursor.slot)
      ) {
        await checkHistory(rpc, cursor);
      }
    } else if (last.slot >= floor) {
      place = { before: beforeLast.signature, next: last.signature, slot: last.slot };
      // Below the cursor there are few, and stopping there again and again would never end.
      if (kept.size >= maxKept && (cursor === null || last.slot > cursor.slot)) {
        return { kind: 'paused', place };
      }
      isWhole = keepOldest(kept, maxKept) && isWhole;
      continue;
    }
    isWhole = keepOldest(kept, maxKept) && isWhole;
    return { kind: 'ended', oldest: [...kept.values()].toReversed(), newest, isWhole };
  }
  throw new RangeError(`more than ${MAX_PAGES * PAGE_SIZE} signatures in one walk`);
}

/** Drops the newest beyond the maximum. Returns whether nothing was dropped. */
function keepOldest(kept: Map<string, SignatureRecord>, maxKept: number): boolean {
  const surplus = kept.size - maxKept;
  for (const signature of [...kept.keys()].slice(0, Math.max(0, surplus))) kept.delete(signature);
  return surplus <= 0;
}

/** A list that ends above the cursor is whole only if the node holds the blocks below it. */
async function checkHistory(
  rpc: Pick<FeedRpc, 'firstAvailableSlot'>,
  cursor: FeedCursor,
): Promise<void> {
  if ((await rpc.firstAvailableSlot()) <= cursor.slot) return;
  throw new AppError('RPC_UNAVAILABLE', {
    reason: `the node’s history does not reach back to slot ${cursor.slot}`,
  });
}
