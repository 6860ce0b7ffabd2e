/** Token accounts as the chain stores them. */

import { AccountLayout, TOKEN_PROGRAM_ID } from '@solana/spl-token';

import type { AccountSnapshot } from './chain-reads.ts';

const TOKEN_PROGRAM = TOKEN_PROGRAM_ID.toBase58();

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
