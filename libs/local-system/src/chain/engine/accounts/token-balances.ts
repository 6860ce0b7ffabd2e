/** Balances of token accounts, as a node lists them with a transaction. */

import type { AccountState } from './account-state.ts';
import { addressOf } from './addresses.ts';

const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
const TOKEN_2022_PROGRAM = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';
const ACCOUNT_LENGTH = 165;
const MINT_LENGTH = 82;
/** With extensions, the byte after the longest base layout says what the account is. */
const TYPE_OFFSET = 165;
const MINT_TYPE = 1;
const ACCOUNT_TYPE = 2;
const STATE_OFFSET = 108;
const SUPPLY_OFFSET = 36;
const DECIMALS_OFFSET = 44;

export type TokenBalance = {
  readonly accountIndex: number;
  readonly mint: string;
  readonly owner: string;
  readonly programId: string;
  readonly amount: bigint;
  readonly decimals: number;
};

export type TokenAccount = {
  readonly mint: string;
  readonly owner: string;
  readonly amount: bigint;
};

export function isTokenProgram(address: string): boolean {
  return address === TOKEN_PROGRAM || address === TOKEN_2022_PROGRAM;
}

/** The initialised token account in an account; null when it is none. */
export function readTokenAccount(account: AccountState | null): TokenAccount | null {
  if (account === null || !isTokenProgram(account.owner)) return null;
  const { data } = account;
  const isAccount = data.length === ACCOUNT_LENGTH || data[TYPE_OFFSET] === ACCOUNT_TYPE;
  if (!isAccount || data[STATE_OFFSET] === 0) return null;
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  return {
    mint: addressOf(data.subarray(0, 32)),
    owner: addressOf(data.subarray(32, 64)),
    amount: view.getBigUint64(64, true),
  };
}

/** The decimals of a mint; null when the account is none. */
export function readDecimals(account: AccountState | null): number | null {
  if (account === null || !isTokenProgram(account.owner)) return null;
  const { data } = account;
  const isMint = data.length === MINT_LENGTH || data[TYPE_OFFSET] === MINT_TYPE;
  return isMint ? (data[DECIMALS_OFFSET] ?? null) : null;
}

/** The supply of a mint, in base units. */
export function readSupply({ data }: AccountState): bigint {
  return new DataView(data.buffer, data.byteOffset).getBigUint64(SUPPLY_OFFSET, true);
}

/** The balance of the account with that index; null when it is no token account. */
export function tokenBalanceOf(
  account: AccountState | null,
  accountIndex: number,
  newest: (address: string) => AccountState | null,
): TokenBalance | null {
  const token = readTokenAccount(account);
  if (account === null || token === null) return null;
  const decimals = readDecimals(newest(token.mint)) ?? 0;
  return { accountIndex, ...token, programId: account.owner, decimals };
}

/** An amount of base units as nodes show it. */
export function uiTokenAmount(amount: bigint, decimals: number) {
  const digits = amount.toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  const uiAmountString = fraction === '' ? whole : `${whole}.${fraction}`;
  return {
    uiAmount: Number(uiAmountString),
    decimals,
    amount: amount.toString(),
    uiAmountString,
  };
}
