/**
 * Finds the failed transaction of bytes that a third party completed and sent under a signature we
 * never learned. A failed transaction has no event, but it carries the session key's signature.
 */

import type { ChainTransaction } from '../rpc/read/chain-reads.ts';
import type { Rpc } from '../rpc/rpc.ts';
import { isTransactionOf } from '../build/wire.ts';
import { type HistoryQuery, walkHistory } from './walk-history.ts';

/**
 * The session's revert budget bounds its own failures; anyone else can add failed transactions to
 * the account's history.
 */
const MAX_READS = 200;

export type FailedTransaction = {
  readonly signature: string;
  readonly slot: bigint;
  readonly transaction: ChainTransaction;
};

/**
 * Searches the session's history back to `sinceSlot`, newest first. Null when the node shows no
 * such transaction, which proves nothing. Throws RPC_UNAVAILABLE when a read fails.
 */
export async function findFailure(
  rpc: Pick<Rpc, 'signaturesFor' | 'transaction'>,
  query: Pick<HistoryQuery, 'sessionPda' | 'sinceSlot'> & { readonly wire: Uint8Array },
): Promise<FailedTransaction | null> {
  const { wire, sessionPda, sinceSlot } = query;
  const history: HistoryQuery = { sessionPda, sinceSlot, commitment: 'confirmed' };
  let reads = 0;
  const { result } = await walkHistory(rpc, history, async (records) => {
    for (const { signature, slot, err } of records) {
      if (err === null) continue;
      if (reads >= MAX_READS) return { failure: null };
      reads += 1;
      const transaction = await rpc.transaction(signature, 'confirmed');
      if (transaction !== null && transaction.err !== null && isTransactionOf(wire, transaction)) {
        return { failure: { signature, slot, transaction } };
      }
    }
    return null;
  });
  return result?.failure ?? null;
}
