import type { WalletVerification } from './verify-wallet.ts';

type Equal = Extract<WalletVerification, { kind: 'equal' }>;

/** What was compared over all wallets. Amounts are base units. */
export type Totals = {
  readonly wallets: number;
  readonly rows: number;
  readonly events: number;
  readonly notFollowed: number;
  readonly balances: number;
  readonly opening: bigint;
  readonly deposits: bigint;
  readonly spent: bigint;
  readonly withdrawn: bigint;
  readonly deployed: bigint;
  readonly returned: bigint;
  readonly principal: bigint;
  readonly balance: bigint;
  readonly notes: ReadonlySet<string>;
};

export function emptyTotals(): Totals {
  return {
    wallets: 0,
    rows: 0,
    events: 0,
    notFollowed: 0,
    balances: 0,
    opening: 0n,
    deposits: 0n,
    spent: 0n,
    withdrawn: 0n,
    deployed: 0n,
    returned: 0n,
    principal: 0n,
    balance: 0n,
    notes: new Set(),
  };
}

export function withWallet(totals: Totals, wallet: Equal): Totals {
  const { sums, note } = wallet;
  return {
    wallets: totals.wallets + 1,
    rows: totals.rows + wallet.rows,
    events: totals.events + wallet.events,
    notFollowed: totals.notFollowed + wallet.notFollowed,
    balances: totals.balances + (sums === null ? 0 : 1),
    opening: totals.opening + (sums?.opening ?? 0n),
    deposits: totals.deposits + (sums?.deposits ?? 0n),
    spent: totals.spent + (sums?.spent ?? 0n),
    withdrawn: totals.withdrawn + (sums?.withdrawn ?? 0n),
    deployed: totals.deployed + (sums?.deployed ?? 0n),
    returned: totals.returned + (sums?.returned ?? 0n),
    principal: totals.principal + (sums?.principal ?? 0n),
    balance: totals.balance + (sums?.balance ?? 0n),
    notes: note === null ? totals.notes : new Set([...totals.notes, note]),
  };
}

/** The line that is printed when nothing differs. */
export function sentenceOf(totals: Totals, unexplained: number): string {
  const parts = [
    `all equal: wallets ${totals.wallets}, log rows ${totals.rows}, events on the chain ${totals.events}`,
  ];
  if (totals.balances > 0) {
    const flows = [
      `deposits ${totals.deposits} − landed ${totals.spent}`,
      totals.withdrawn > 0n ? `− withdrawn ${totals.withdrawn}` : '',
      totals.deployed > 0n ? `− deployed ${totals.deployed}` : '',
      totals.returned > 0n ? `+ returned ${totals.returned}` : '',
    ].filter((flow) => flow !== '');
    const opening = totals.opening > 0n ? `opening ${totals.opening} + ` : '';
    parts.push(`balance ${totals.balance} = ${opening}${flows.join(' ')}`);
    if (totals.deployed > 0n) parts.push(`in the yield reserve ${totals.principal}`);
  }
  if (totals.notFollowed > 0) parts.push(`not followed yet ${totals.notFollowed}`);
  if (unexplained > 0) parts.push(`unexplained records ${unexplained}`);
  return [...parts, ...totals.notes].join('; ');
}
