/**
 * Finds the failed transaction of bytes that somebody else completed and sent, whose signature
 * nobody named: it has no event, but it carries the session key's signature.
 */

import type { ChainTransaction } from '../rpc/chain-reads.ts';
import type { Rpc } from '../rpc/rpc.ts';
import { isTransactionOf } from '../build/wire.ts';

const PAGE_SIZE = 200;
const MAX_PAGES = 50;
/** A session's failures are bounded by its budget of reverts; somebody else's are not its own. */
const MAX_READS = 200;

export type FailedTransaction = {
  readonly signature: string;
  readonly slot: bigint;
  readonly transaction: ChainTransaction;
};

/**
 * Searches the session's history back to `sinceSlot`, newest first. Null when the node shows no such
 * transaction, which proves nothing. Throws RPC_UNAVAILABLE when a read fails.
 */
export async function findFailure(
  rpc: Pick<Rpc, 'signaturesFor' | 'transaction'>,
  query: {
    readonly wire: Uint8Array;
    readonly sessionPda: string;
    /** Slot of the blockhash: nothing older is looked at. */
    readonly sinceSlot: bigint;
  },
): Promise<FailedTransaction | null> {
  const { wire, sessionPda, sinceSlot } = query;
  let before: string | undefined;
  let reads = 0;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const records = await rpc.signaturesFor(sessionPda, {
      limit: PAGE_SIZE,
      commitment: 'confirmed',
      ...(before === undefined ? {} : { before }),
    });
    for (const { signature, slot, err } of records) {
      if (err === null || slot < sinceSlot) continue;
      if (reads >= MAX_READS) return null;
      reads += 1;
      const transaction = await rpc.transaction(signature, 'confirmed');
      if (transaction !== null && transaction.err !== null && isTransactionOf(wire, transaction)) {
        return { signature, slot, transaction };
      }
    }
    const oldest = records.at(-1);
    if (oldest === undefined || records.length < PAGE_SIZE || oldest.slot < sinceSlot) return null;
    before = oldest.signature;
  }
  return null;
}
