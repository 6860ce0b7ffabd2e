/** Executes a transaction and records what it changed. */

import type { AccountState } from './accounts/account-state.ts';
import type { AccountVersions } from './accounts/account-versions.ts';
import { executionOf } from './transactions/execution.ts';
import { computeUnitPriceOf, feeOf } from './transactions/fee.ts';
import type { History } from './history/history.ts';
import {
  type Execution,
  type LandedTransaction,
  signatureOf,
} from './history/landed-transaction.ts';
import { keyAt, type LocatedTransaction } from './transactions/located-transaction.ts';
import { memoOf } from './transactions/memo.ts';
import type { RecentFees } from './slots/recent-fees.ts';
import type { Svm } from './svm.ts';
import { type TokenBalance, tokenBalanceOf } from './accounts/token-balances.ts';
import { isWritable } from './transactions/wire-transaction.ts';

type Outcome =
  | { readonly kind: 'landed'; readonly landed: LandedTransaction }
  /** It changed nothing. */
  | { readonly kind: 'undone'; readonly execution: Execution };

type Io = {
  readonly svm: Svm;
  readonly versions: AccountVersions;
  readonly history: Pick<History, 'add'>;
  readonly recentFees: Pick<RecentFees, 'add'>;
};

type Moment = {
  readonly slot: number;
  /** Unix seconds. */
  readonly blockTime: number;
  readonly verifySignatures: boolean;
  /** Whether a transaction that fails is to leave no trace. */
  readonly undoesFailures: boolean;
};

export type Land = (located: LocatedTransaction, moment: Moment) => Outcome;

/** Programs that cannot be loaded: the fee is taken, nothing is executed (SIMD-0082). */
const LOAD_FAILURES = new Set<unknown>([
  'ProgramAccountNotFound',
  'InvalidProgramForExecution',
  'MaxLoadedAccountsDataSizeExceeded',
]);

export function createLanding({ svm, versions, history, recentFees }: Io, landings = 0): Land {
  let sequence = landings;
  const newest = (address: string) => versions.newest(address);

  return (located, { slot, blockTime, verifySignatures, undoesFailures }) => {
    const { transaction, loaded, keys } = located;
    const { message } = transaction;
    const writable = keys.flatMap((_, index) =>
      isWritable(message, index, loaded.writable.length) ? [index] : [],
    );
    const before = writable.map((index) => newest(keyAt(keys, index)));
    const fee = feeOf(message);

    const returned = svm.execute(transaction.wire, { verifySignatures });
    const execution = executionOf(returned, located, newest);
    if (execution.err !== null) {
      const payer = keyAt(keys, 0);
      const [payerBefore = null] = before;
      // Whatever can be in a block pays its fee, also when it fails.
      const wasCharged = svm.lamports(payer) !== (payerBefore?.lamports ?? 0n);
      const isPayable = wasCharged || LOAD_FAILURES.has(execution.err);
      if (!isPayable || payerBefore === null) return { kind: 'undone', execution };
      if (undoesFailures) {
        // Only the fee was taken: the program's changes are gone already.
        if (wasCharged) svm.setAccount(payer, payerBefore);
        return { kind: 'undone', execution };
      }
      if (!wasCharged) {
        svm.setAccount(payer, { ...payerBefore, lamports: payerBefore.lamports - BigInt(fee) });
      }
    }
    const after = writable.map((index, at) =>
      versions.reread(keyAt(keys, index), before[at] ?? null, slot),
    );
    const unchanged = keys.map((key) => svm.lamports(key));
    const balances = (accounts: readonly (AccountState | null)[]): readonly bigint[] => {
      const all = [...unchanged];
      for (const [at, index] of writable.entries()) all[index] = accounts[at]?.lamports ?? 0n;
      return all;
    };
    const tokens = (accounts: readonly (AccountState | null)[]): readonly TokenBalance[] =>
      accounts
        .map((account, at) => tokenBalanceOf(account, writable[at] ?? 0, newest))
        .filter((balance) => balance !== null);
    const landed: LandedTransaction = {
      signature: signatureOf(transaction),
      sequence: (sequence += 1),
      slot,
      blockTime,
      err: execution.err,
      memo: memoOf(message),
      transaction,
      loaded,
      execution,
      feeLamports: fee,
      preBalances: balances(before),
      postBalances: balances(after),
      preTokenBalances: tokens(before),
      postTokenBalances: tokens(after),
    };
    history.add(landed);
    const locked = writable.map((index) => keyAt(keys, index));
    recentFees.add(slot, computeUnitPriceOf(message), locked);
    return { kind: 'landed', landed };
  };
}
