/** One walk over the list of the program's transactions, from the newest back. */

import type { SignatureRecord } from '../rpc/chain-reads.ts';
import type { Rpc } from '../rpc/rpc.ts';
import type { FeedCursor } from './program-feed.ts';

const PAGE_SIZE = 1_000;
const MAX_PAGES = 10_000;
/** Bounds the memory; what is newer is listed by a later walk. */
const MAX_KEPT = 50_000;

export type FeedRpc = Pick<Rpc, 'signaturesFor' | 'transaction'>;

export type Walked = {
  /** Oldest first. A signature on two pages is listed once. */
  readonly oldest: readonly SignatureRecord[];
  /** The first of the list; null when it was empty. */
  readonly newest: string | null;
  /** False when there were more than one walk may keep. */
  readonly isWhole: boolean;
};

/**
 * Lists the new transactions down to the slot `floor`, or to the signature `until` if the node
 * knows it. Throws RPC_UNAVAILABLE when a page cannot be read.
 */
export async function walkProgram(
  rpc: Pick<FeedRpc, 'signaturesFor'>,
  programId: string,
  walk: {
    readonly cursor: FeedCursor | null;
    readonly floor: bigint;
    readonly until: string | null;
    readonly isNew: (record: SignatureRecord) => boolean;
  },
): Promise<Walked> {
  const { cursor, floor, until, isNew } = walk;
  const kept = new Map<string, SignatureRecord>();
  let isWhole = true;
  let newest: string | null = null;
  let before: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const records = await rpc.signaturesFor(programId, {
      limit: PAGE_SIZE,
      commitment: 'confirmed',
      ...(before === undefined ? {} : { before }),
      ...(until === null ? {} : { until }),
      ...(cursor === null ? {} : { minContextSlot: cursor.slot }),
    });
    newest ??= records[0]?.signature ?? null;
    for (const record of records) {
      if (record.slot >= floor && isNew(record)) kept.set(record.signature, record);
    }
    for (const signature of kept.keys()) {
      if (kept.size <= MAX_KEPT) break;
      kept.delete(signature);
      isWhole = false;
    }
    const last = records.at(-1);
    if (last === undefined || records.length < PAGE_SIZE || last.slot < floor) {
      return { oldest: [...kept.values()].toReversed(), newest, isWhole };
    }
    before = last.signature;
  }
  throw new RangeError(`more than ${MAX_PAGES * PAGE_SIZE} signatures since the cursor`);
}
