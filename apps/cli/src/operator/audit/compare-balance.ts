import {
  bigintField,
  type ProgramEvent,
  type Rpc,
  stringField,
  tokenAmountOf,
  type WalletProgram,
} from '@agent-wallet/chain';
import { compareDeployed } from './compare-deployed.ts';
import { type HistoryEntry, newestSignature, type ReadHistory } from './read-history.ts';
import type { Wallet } from '@agent-wallet/wallet';

const MAX_LOOKS = 5;

/** The sums of a vault's token account, in base units. */
export type Sums = {
  /** The balance before the oldest transaction that the node shows. */
  readonly opening: bigint;
  readonly deposits: bigint;
  readonly spent: bigint;
  /** By the owner. */
  readonly withdrawn: bigint;
  /** Into the yield reserve, and back out of it. */
  readonly deployed: bigint;
  readonly returned: bigint;
  readonly balance: bigint;
  /** Principal in the yield reserve now. */
  readonly principal: bigint;
};

export type BalanceComparison =
  | { readonly kind: 'compared'; readonly sums: Sums; readonly difference: string | null }
  | { readonly kind: 'not_comparable'; readonly why: string };

/**
 * Compares the vault's balance with the history of its token account. Program events account for
 * spends, the owner's withdrawals and yield; every other increase is a deposit. A decrease without
 * an event is a difference, and so is a `deployed_amount` other than the sum of the yield events.
 * The balance is not comparable while the history keeps changing.
 */
export async function compareBalance(
  rpc: Pick<Rpc, 'accounts' | 'signaturesFor' | 'transaction'>,
  readHistory: ReadHistory,
  program: Pick<WalletProgram, 'decodeVault'>,
  wallet: Pick<Wallet, 'vaultPda' | 'vaultUsdcAta'>,
): Promise<BalanceComparison> {
  const { vaultPda: vault, vaultUsdcAta: account } = wallet;
  for (let look = 0; look < MAX_LOOKS; look += 1) {
    const newest = await newestOf(rpc, wallet);
    const history = await readHistory(account);
    // Sweeping the collateral changes what is deployed, and does not name the token account.
    const ofVault = await readHistory(vault);
    const { accounts } = await rpc.accounts([account, vault], { commitment: 'confirmed' });
    if ((await newestOf(rpc, wallet)) !== newest) continue;
    const [tokens = null, state = null] = accounts;
    const deployed = state === null ? 0n : (program.decodeVault(state)?.deployedAmount ?? 0n);
    const principal = compareDeployed(ofVault, vault, deployed);
    const compared = compareSums(history, wallet, tokenAmountOf(tokens));
    if (compared.kind !== 'compared' || compared.difference !== null) return compared;
    return {
      ...compared,
      sums: { ...compared.sums, principal: principal.deployed },
      difference: principal.difference,
    };
  }
  return { kind: 'not_comparable', why: 'the vault is in use; its balance was not compared' };
}

/** The newest transactions of vault and token account, as one text. */
async function newestOf(
  rpc: Pick<Rpc, 'signaturesFor' | 'transaction'>,
  { vaultPda, vaultUsdcAta }: Pick<Wallet, 'vaultPda' | 'vaultUsdcAta'>,
): Promise<string> {
  const ofVault = await newestSignature(rpc, vaultPda);
  return `${ofVault} ${await newestSignature(rpc, vaultUsdcAta)}`;
}

function compareSums(
  history: readonly HistoryEntry[],
  wallet: Pick<Wallet, 'vaultPda' | 'vaultUsdcAta'>,
  balance: bigint,
): BalanceComparison {
  let sums: Sums = { opening: 0n, deposits: 0n, ...NO_FLOWS, balance, principal: 0n };
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
    const flows = flowsOf(entry, wallet.vaultPda);
    const deposit = change.after - change.before + outflow(flows);
    if (deposit < 0n) {
      const what = `${entry.signature} in slot ${entry.slot} took ${-deposit} out of the vault without an event`;
      return { kind: 'compared', sums, difference: what };
    }
    sums = { ...sums, ...plus(sums, flows), deposits: sums.deposits + deposit };
  }
  const expected = sums.opening + sums.deposits - outflow(sums);
  if (expected === balance) return { kind: 'compared', sums, difference: null };
  const difference = `the vault holds ${balance}, its history says ${expected}`;
  return { kind: 'compared', sums, difference };
}

type Flows = Pick<Sums, 'spent' | 'withdrawn' | 'deployed' | 'returned'>;

const NO_FLOWS: Flows = { spent: 0n, withdrawn: 0n, deployed: 0n, returned: 0n };

/** The vault's flows in one transaction, by the program's events. */
function flowsOf({ events }: HistoryEntry, vault: string): Flows {
  return events
    .filter(({ data }) => stringField(data, 'vault') === vault)
    .reduce((flows, event) => plus(flows, flowOf(event)), NO_FLOWS);
}

function flowOf({ name, data }: ProgramEvent): Flows {
  switch (name) {
    case 'UsdcTransferred':
      return { ...NO_FLOWS, spent: bigintField(data, 'amount') };
    case 'OwnerWithdrew':
      return { ...NO_FLOWS, withdrawn: bigintField(data, 'amount') };
    case 'YieldDeposited':
      return { ...NO_FLOWS, deployed: bigintField(data, 'liquidity_delta') };
    case 'YieldWithdrawn':
      return { ...NO_FLOWS, returned: bigintField(data, 'liquidity_delta') };
    default:
      return NO_FLOWS;
  }
}

const plus = (a: Flows, b: Flows): Flows => ({
  spent: a.spent + b.spent,
  withdrawn: a.withdrawn + b.withdrawn,
  deployed: a.deployed + b.deployed,
  returned: a.returned + b.returned,
});

const outflow = ({ spent, withdrawn, deployed, returned }: Flows): bigint =>
  spent + withdrawn + deployed - returned;
