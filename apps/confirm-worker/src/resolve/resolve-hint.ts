import { isSignature, isTransactionOf } from '@agent-wallet/chain';
import type { Settlement, WatchedAttempt } from '@agent-wallet/spend';
import { type ResolveDeps, resolveFailure, rowOf } from './resolve-landing.ts';

const MAX_REFUTED = 10_000;

/**
 * Resolves a facilitator payment by the signature that the service named. The transaction counts
 * only if it carries the exact message that the session key signed. Any other transaction, or an
 * endpoint that fails, leaves the attempt to the other proofs (null).
 */
export function createResolveHint(
  deps: ResolveDeps,
): (attempt: WatchedAttempt) => Promise<Settlement | null> {
  // Hints that named another transaction. A new process reads them once more.
  const refuted = new Set<string>();
  return async (attempt) => {
    const { signature: known, signatureHint: signature, spendId } = attempt;
    if (known !== null || signature === null || !isSignature(signature)) return null;
    const hint = `${spendId} ${signature}`;
    if (refuted.has(hint)) return null;
    const transaction = await deps.pool.rpc.transaction(signature, 'confirmed').catch(() => null);
    if (transaction === null) return null;
    if (!isTransactionOf(await deps.readWire(attempt), transaction)) {
      if (refuted.size >= MAX_REFUTED) refuted.clear();
      refuted.add(hint);
      deps.log.warn(
        { spendId, signature },
        'a service named a transaction that is not its payment',
      );
      return null;
    }
    const { slot } = transaction;
    if (transaction.err !== null) {
      return resolveFailure(deps, attempt, { signature, transaction, slot });
    }
    return { ...rowOf(attempt), kind: 'landed_ok', signature, slot };
  };
}
