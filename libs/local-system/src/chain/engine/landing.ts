/** Executes a transaction and records what it changed. */

import type { AccountState } from './account-state.ts';
import type { AccountVersions } from './account-versions.ts';
import { executionOf } from './execution.ts';
import { computeUnitPriceOf, feeOf } from './fee.ts';
import type { History } from './history.ts';
import {
  accountKeysOf,
  type Execution,
  type LandedTransaction,
  signatureOf,
} from './landed-transaction.ts';
import { loadAddresses } from './lookup-tables.ts';
import type { RecentFees } from './recent-fees.ts';
import type { Svm } from './svm.ts';
import { type TokenBalance, tokenBalanceOf } from './token-balances.ts';
import { isWritable, type WireTransaction } from './wire-transaction.ts';

/** `landed`: in a block, also when its execution failed. `refused`: it changed nothing. */
export type Submission =
  | { readonly kind: 'landed'; readonly landed: LandedTransaction }
  | { readonly kind: 'refused'; readonly execution: Execution };

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
  readonly refusesFailures: boolean;
};

export type Land = (transaction: WireTransaction, moment: Moment) => Submission;

export function createLanding({ svm, versions, history, recentFees }: Io): Land {
  let sequence = 0;
  const newest = (address: string) => versions.newest(address);

  return (transaction, { slot, blockTime, refusesFailures }) => {
    const { message } = transaction;
    const loaded = loadAddresses(message.lookups, newest);
    const keys = accountKeysOf({ transaction, loaded });
    const writable = keys.flatMap((_, index) =>
      isWritable(message, index, loaded.writable.length) ? [index] : [],
    );
    const before = writable.map((index) => newest(keyAt(keys, index)));

    const execution = executionOf(svm.execute(transaction.wire));
    const payer = keyAt(keys, 0);
    if (execution.err !== null) {
      // Whatever can be in a block pays its fee, also when it fails.
      const [payerBefore = null] = before;
      const wasCharged = svm.lamports(payer) !== (payerBefore?.lamports ?? 0n);
      if (!wasCharged) return { kind: 'refused', execution };
      if (refusesFailures) {
        // Only the fee was taken: the program's changes are gone already.
        if (payerBefore !== null) svm.setAccount(payer, payerBefore);
        return { kind: 'refused', execution };
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
      transaction,
      loaded,
      execution,
      feeLamports: feeOf(message),
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

function keyAt(keys: readonly string[], index: number): string {
  const key = keys[index];
  if (key === undefined) throw new RangeError(`there is no account ${index}`);
  return key;
}
