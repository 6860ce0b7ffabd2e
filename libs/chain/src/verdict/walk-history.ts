/** The signature history of a session account, page by page. */

import type { Commitment, SignatureRecord } from '../rpc/read/chain-reads.ts';
import type { Rpc } from '../rpc/rpc.ts';

const PAGE_SIZE = 200;
const MAX_PAGES = 50;

export type HistoryQuery = {
  readonly sessionPda: string;
  /** The oldest slot of interest: the slot of the first attempt's blockhash. */
  readonly sinceSlot: bigint;
  readonly commitment: Commitment;
  /** The node must have reached at least this slot. */
  readonly minContextSlot?: bigint;
};

/**
 * Calls `visit` with each page's records from `sinceSlot` on, newest first, until it returns a
 * result. `isWhole` is true when the walk reached `sinceSlot` without a result. Throws
 * RPC_UNAVAILABLE when a page cannot be read.
 */
export async function walkHistory<T>(
  rpc: Pick<Rpc, 'signaturesFor'>,
  { sessionPda, sinceSlot, commitment, minContextSlot }: HistoryQuery,
  visit: (records: readonly SignatureRecord[]) => Promise<T | null>,
): Promise<{ readonly result: T | null; readonly isWhole: boolean }> {
  let before: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const records = await rpc.signaturesFor(sessionPda, {
      limit: PAGE_SIZE,
      commitment,
      ...(before === undefined ? {} : { before }),
      ...(minContextSlot === undefined ? {} : { minContextSlot }),
    });
    const result = await visit(records.filter(({ slot }) => slot >= sinceSlot));
    if (result !== null) return { result, isWhole: false };
    const oldest = records.at(-1);
    if (oldest === undefined || records.length < PAGE_SIZE || oldest.slot < sinceSlot) {
      return { result: null, isWhole: true };
    }
    before = oldest.signature;
  }
  return { result: null, isWhole: false };
}
