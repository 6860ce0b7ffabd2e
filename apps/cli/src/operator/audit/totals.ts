import type { Sums } from './compare-balance.ts';
import type { WalletVerification } from './verify-wallet.ts';

type Equal = Extract<WalletVerification, { kind: 'equal' }>;

/** The compared numbers of all wallets. Amounts are base units. */
export type Totals = Sums & {
  readonly wallets: number;
  readonly rows: number;
  /** Null when the chain was not read. */
  readonly events: number | null;
  readonly notFollowed: number;
  /** Wallets whose balance was compared. */
  readonly balances: number;
  readonly notes: ReadonlySet<string>;
};

const NO_SUMS: Sums = {
  opening: 0n,
  deposits: 0n,
  spent: 0n,
  withdrawn: 0n,
  deployed: 0n,
  returned: 0n,
  principal: 0n,
  balance: 0n,
};

export function emptyTotals({ isChainRead }: { readonly isChainRead: boolean }): Totals {
  const events = isChainRead ? 0 : null;
  return { ...NO_SUMS, wallets: 0, rows: 0, events, notFollowed: 0, balances: 0, notes: new Set() };
}

export function withWallet(totals: Totals, { sums, note, ...wallet }: Equal): Totals {
  const added = sums ?? NO_SUMS;
  return {
    wallets: totals.wallets + 1,
    rows: totals.rows + wallet.rows,
    events: totals.events === null ? null : totals.events + (wallet.events ?? 0),
    notFollowed: totals.notFollowed + wallet.notFollowed,
    balances: totals.balances + (sums === null ? 0 : 1),
    opening: totals.opening + added.opening,
    deposits: totals.deposits + added.deposits,
    spent: totals.spent + added.spent,
    withdrawn: totals.withdrawn + added.withdrawn,
    deployed: totals.deployed + added.deployed,
    returned: totals.returned + added.returned,
    principal: totals.principal + added.principal,
    balance: totals.balance + added.balance,
    notes: note === null ? totals.notes : new Set([...totals.notes, note]),
  };
}

/** The line that is printed when nothing differs. */
export function sentenceOf(totals: Totals, discrepancies: number): string {
  const events = totals.events === null ? '' : `, events on the chain ${totals.events}`;
  const parts = [`all equal: wallets ${totals.wallets}, log rows ${totals.rows}${events}`];
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
  if (discrepancies > 0) parts.push(`recorded discrepancies ${discrepancies}`);
  return [...parts, ...totals.notes].join('; ');
}
