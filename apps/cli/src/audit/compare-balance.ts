import { bigintField, type Rpc, stringField, tokenAmountOf } from '@agent-wallet/chain';
import { type HistoryEntry, newestSignature, type ReadHistory } from './read-history.ts';
import type { Wallet } from './wallets.ts';

const MAX_LOOKS = 5;

/** The sums of a vault's token account, in base units. */
export type Sums = {
  /** What was there before the oldest transaction that the node shows. */
  readonly opening: bigint;
  readonly deposits: bigint;
  readonly spent: bigint;
  readonly balance: bigint;
};

export type BalanceComparison =
  | { readonly kind: 'compared'; readonly sums: Sums; readonly difference: string | null }
  | { readonly kind: 'not_comparable'; readonly why: string };

/**
 * Compares the vault's balance with its token account's own history: deposits − spends, where a
 * spend is what the program's events tell and a deposit is everything else. What leaves without an
 * event is a difference. The history must stand still meanwhile.
 */
export async function compareBalance(
  rpc: Pick<Rpc, 'accounts' | 'signaturesFor' | 'transaction'>,
  readHistory: ReadHistory,
  wallet: Wallet,
): Promise<BalanceComparison> {
  const { vaultUsdcAta: account } = wallet;
  for (let look = 0; look < MAX_LOOKS; look += 1) {
    const newest = await newestSignature(rpc, account);
    const history = await readHistory(account);
    const { accounts } = await rpc.accounts([account], { commitment: 'confirmed' });
    if ((await newestSignature(rpc, account)) !== newest) continue;
    return compareSums(history, wallet, tokenAmountOf(accounts[0] ?? null));
  }
  return { kind: 'not_comparable', why: 'the vault is in use; its balance was not compared' };
}

function compareSums(
  history: readonly HistoryEntry[],
  wallet: Wallet,
  balance: bigint,
): BalanceComparison {
  let sums: Sums = { opening: 0n, deposits: 0n, spent: 0n, balance };
  let isFirst = true;
  for (const entry of history) {
    if (entry.tokenChanges === null) {
      return {
        kind: 'not_comparable',
        why: 'the node does not show deposits; no balance compared',
      };
    }
    const change = entry.tokenChanges.find(({ account }) => account === wallet.vaultUsdcAta);
    if (change === undefined) continue;
    if (isFirst) sums = { ...sums, opening: change.before };
    isFirst = false;
    const spent = spentBy(entry, wallet.vault);
    const deposit = change.after - change.before + spent;
    if (deposit < 0n) {
      const what = `${entry.signature} in slot ${entry.slot} took ${-deposit} out of the vault without an event`;
      return { kind: 'compared', sums, difference: what };
    }
    sums = { ...sums, deposits: sums.deposits + deposit, spent: sums.spent + spent };
  }
  const expected = sums.opening + sums.deposits - sums.spent;
  if (expected === balance) return { kind: 'compared', sums, difference: null };
  const difference = `the vault holds ${balance}, its history says ${expected}`;
  return { kind: 'compared', sums, difference };
}

function spentBy({ events }: HistoryEntry, vault: string): bigint {
  return events
    .filter(({ name, data }) => name === 'UsdcTransferred' && stringField(data, 'vault') === vault)
    .reduce((sum, { data }) => sum + bigintField(data, 'amount'), 0n);
}
