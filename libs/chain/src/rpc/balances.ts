/** Token balances for many callers at once: reads that arrive together share one call. */

import { AccountLayout, TOKEN_PROGRAM_ID } from '@solana/spl-token';

import type { AccountSnapshot } from './chain-reads.ts';
import type { Rpc } from './rpc.ts';

const TOKEN_PROGRAM = TOKEN_PROGRAM_ID.toBase58();

/** `amount` in base units, 0 when there is no such token account; `slot` at which it was read. */
export type TokenBalance = { readonly amount: bigint; readonly slot: bigint };

/** Rejects with RPC_UNAVAILABLE when the shared read failed. */
export type ReadBalance = (tokenAccount: string) => Promise<TokenBalance>;

type Waiter = {
  readonly tokenAccount: string;
  readonly resolve: (balance: TokenBalance) => void;
  readonly reject: (error: unknown) => void;
};

/** The amount in a classic token account; 0 for any other account, which cannot be spent from. */
export function tokenAmountOf(account: AccountSnapshot | null): bigint {
  if (account === null || account.owner !== TOKEN_PROGRAM) return 0n;
  if (account.data.length !== AccountLayout.span) return 0n;
  return AccountLayout.decode(account.data).amount;
}

/** Whether `account` is a classic token account of `owner` for `mint`. */
export function isTokenAccountOf(
  account: AccountSnapshot | null,
  owner: string,
  mint: string,
): boolean {
  if (account === null || account.owner !== TOKEN_PROGRAM) return false;
  if (account.data.length !== AccountLayout.span) return false;
  const decoded = AccountLayout.decode(account.data);
  return decoded.owner.toBase58() === owner && decoded.mint.toBase58() === mint;
}

/**
 * Collects the reads of `windowMs` into one call at `confirmed`. The call starts after the last
 * request of the window, so no caller receives a balance older than its request.
 */
export function createBalanceReader(options: {
  readonly rpc: Pick<Rpc, 'accounts'>;
  readonly windowMs: number;
}): ReadBalance {
  const { rpc, windowMs } = options;
  let waiting: Waiter[] = [];

  async function flush(): Promise<void> {
    const waiters = waiting;
    waiting = [];
    try {
      const addresses = [...new Set(waiters.map(({ tokenAccount }) => tokenAccount))];
      const { slot, accounts } = await rpc.accounts(addresses, { commitment: 'confirmed' });
      const amounts = new Map(
        addresses.map((address, i) => [address, tokenAmountOf(accounts[i] ?? null)] as const),
      );
      for (const { tokenAccount, resolve } of waiters) {
        resolve({ amount: amounts.get(tokenAccount) ?? 0n, slot });
      }
    } catch (error) {
      for (const { reject } of waiters) reject(error);
    }
  }

  return (tokenAccount) =>
    new Promise((resolve, reject) => {
      waiting.push({ tokenAccount, resolve, reject });
      if (waiting.length === 1) setTimeout(() => void flush(), windowMs);
    });
}
