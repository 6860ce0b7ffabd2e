/**
 * The way of a transaction into a block: preflight on an earlier state, where it is asked for, then
 * execution on the newest.
 */

import { FailedTransactionMetadata } from 'litesvm/dist/internal.js';
import type { AccountVersions } from './accounts/account-versions.ts';
import { type Blockhashes, VALID_BLOCKS } from './slots/blockhashes.ts';
import { executionOf, refusedExecution } from './transactions/execution.ts';
import type { Land } from './landing.ts';
import type { Execution, LandedTransaction } from './history/landed-transaction.ts';
import { locate } from './transactions/located-transaction.ts';
import type { Svm } from './svm.ts';
import type { WireTransaction } from './transactions/wire-transaction.ts';

/**
 * `landed`: in a block, also when its execution failed. `refused`: preflight failed. `dropped`: no
 * block can take it, which a node does not tell. Nothing changed unless it landed.
 */
export type Submission =
  | { readonly kind: 'landed'; readonly landed: LandedTransaction }
  | { readonly kind: 'refused' | 'dropped'; readonly execution: Execution };

type Io = {
  readonly svm: Svm;
  readonly versions: AccountVersions;
  readonly blockhashes: Blockhashes;
  readonly land: Land;
};

type Moment = {
  readonly slot: number;
  /** Unix seconds. */
  readonly blockTime: number;
  /** The slot on whose final state preflight runs; null without preflight. */
  readonly preflightSlot: number | null;
};

export type Submit = (transaction: WireTransaction, moment: Moment) => Submission;

/** Why no block after `slot` can take a transaction, without executing it; null when one can. */
export function refusalAt(
  blockhashes: Blockhashes,
  { message, key }: WireTransaction,
  slot: number,
): string | null {
  const recent = blockhashes.find(message.blockhash);
  if (recent === undefined || recent.slot > slot) return 'BlockhashNotFound';
  if (slot - recent.slot > VALID_BLOCKS) return 'BlockhashNotFound';
  const landedIn = recent.landed.get(key);
  return landedIn !== undefined && landedIn <= slot ? 'AlreadyProcessed' : null;
}

export function createSubmit({ svm, versions, blockhashes, land }: Io): Submit {
  const newest = (address: string) => versions.newest(address);

  return (transaction, { slot, blockTime, preflightSlot }) => {
    const located = locate(transaction, newest);
    const hasPreflight = preflightSlot !== null;
    if (hasPreflight) {
      const refusal = refusalAt(blockhashes, transaction, preflightSlot);
      if (refusal !== null) return { kind: 'refused', execution: refusedExecution(refusal) };
    }
    // Where no account of it has changed since, preflight and execution are one.
    const isPastState = hasPreflight && versions.hasChanged(preflightSlot, located.keys);
    if (isPastState) {
      const { meta } = versions.during(preflightSlot, located.keys, () =>
        svm.simulate(transaction.wire, { verifySignatures: true }),
      );
      if (meta instanceof FailedTransactionMetadata) {
        return { kind: 'refused', execution: executionOf(meta, located, newest) };
      }
    }
    const refusal = refusalAt(blockhashes, transaction, slot);
    if (refusal !== null) return { kind: 'dropped', execution: refusedExecution(refusal) };
    const outcome = land(located, {
      slot,
      blockTime,
      verifySignatures: !isPastState,
      undoesFailures: hasPreflight && !isPastState,
    });
    if (outcome.kind === 'landed') {
      blockhashes.find(transaction.message.blockhash)?.landed.set(transaction.key, slot);
      return outcome;
    }
    const isRefused = hasPreflight && !isPastState;
    return { kind: isRefused ? 'refused' : 'dropped', execution: outcome.execution };
  };
}
