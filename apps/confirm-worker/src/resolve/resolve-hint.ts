import { isSignature, isTransactionOf } from '@agent-wallet/chain';
import type { Settlement, WatchedAttempt } from '@agent-wallet/spend';
import { rowOf, type SettleDeps, settleError } from './resolve-landing.ts';

const MOST_REFUTED = 10_000;

/**
 * Looks where a service says that its facilitator's transaction is. What is there counts only if it
 * is the very message that the session key signed; whatever else a service names, or a node that
 * does not answer, leaves the attempt to the other proofs.
 */
export function createSettleHint(
  deps: SettleDeps,
): (attempt: WatchedAttempt) => Promise<Settlement | null> {
  // Texts that turned out to be something else; a new process asks once more.
  const refuted = new Set<string>();
  return async (attempt) => {
    const { signature: known, signatureHint: signature, spendId, wire } = attempt;
    if (known !== null || signature === null || !isSignature(signature)) return null;
    const claim = `${spendId} ${signature}`;
    if (refuted.has(claim)) return null;
    const transaction = await deps.pool.rpc.transaction(signature, 'confirmed').catch(() => null);
    if (transaction === null) return null;
    if (!isTransactionOf(wire, transaction)) {
      if (refuted.size >= MOST_REFUTED) refuted.clear();
      refuted.add(claim);
      deps.log.warn(
        { spendId, signature },
        'a service named a transaction that is not its payment',
      );
      return null;
    }
    const { slot } = transaction;
    if (transaction.err !== null) {
      return settleError(deps, attempt, { signature, transaction, slot });
    }
    return { ...rowOf(attempt), kind: 'landed_ok', signature, slot };
  };
}
