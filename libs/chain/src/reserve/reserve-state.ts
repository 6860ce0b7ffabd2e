/**
 * The state of a reserve's account: how much it can pay out now and the value of collateral.
 * Offsets are Kamino Lend's, fractions have 60 binary places. The account shows the state at its
 * last use, without the interest since then, so collateral is worth at least the value returned
 * here.
 */

import bs58 from 'bs58';

import type { AccountSnapshot } from '../rpc/read/chain-reads.ts';
import { decodeInterest, highestTotal, type ReserveInterest } from './reserve-interest.ts';
import type { Reserve } from './reserve.ts';

const RESERVE_BYTES = 8_624;
const DISCRIMINATOR = Buffer.from('2bf2ccca1af73b7f', 'hex');
const VERSION = 1n;
const FRACTION_BITS = 60n;

const AT = {
  version: 8,
  lendingMarket: 32,
  liquiditySupply: 160,
  available: 224,
  protocolFees: 344,
  referrerFees: 360,
  pendingReferrerFees: 376,
  collateralMint: 2_560,
  collateralSupply: 2_592,
} as const;

/** The state of a reserve. */
export type ReserveState = {
  /** Base units of USDC that the reserve can pay out. */
  readonly available: bigint;
  /** The value of all collateral, in base units times 2^60. */
  readonly totalScaled: bigint;
  /** Units of collateral in existence. */
  readonly collateralSupply: bigint;
  readonly interest: ReserveInterest;
};

/** The reserve in an account; null when the account is another reserve or version. */
export function decodeReserve(
  reserve: Reserve,
  { owner, data }: Pick<AccountSnapshot, 'owner' | 'data'>,
): ReserveState | null {
  if (owner !== reserve.programId || data.length !== RESERVE_BYTES) return null;
  const bytes = Buffer.from(data);
  if (!bytes.subarray(0, 8).equals(DISCRIMINATOR)) return null;
  if (bytes.readBigUInt64LE(AT.version) !== VERSION) return null;
  const addressAt = (offset: number): string => bs58.encode(bytes.subarray(offset, offset + 32));
  const isSame =
    addressAt(AT.lendingMarket) === reserve.lendingMarket &&
    addressAt(AT.liquiditySupply) === reserve.liquiditySupply &&
    addressAt(AT.collateralMint) === reserve.collateralMint;
  if (!isSame) return null;
  const scaledAt = (offset: number): bigint =>
    bytes.readBigUInt64LE(offset) + (bytes.readBigUInt64LE(offset + 8) << 64n);
  const available = bytes.readBigUInt64LE(AT.available);
  const fees =
    scaledAt(AT.protocolFees) + scaledAt(AT.referrerFees) + scaledAt(AT.pendingReferrerFees);
  const interest = decodeInterest(bytes);
  const total = (available << FRACTION_BITS) + interest.borrowedScaled - fees;
  return {
    available,
    totalScaled: total > 0n ? total : 0n,
    collateralSupply: bytes.readBigUInt64LE(AT.collateralSupply),
    interest,
  };
}

/** The exchange rate of collateral. */
type Rate = Pick<ReserveState, 'totalScaled' | 'collateralSupply'>;

/** The rate is one to one while there is no collateral. */
function hasRate({ totalScaled, collateralSupply }: Rate): boolean {
  return totalScaled > 0n && collateralSupply > 0n;
}

/** The USDC that `collateral` redeems for, in base units, rounded down. */
export function valueOfCollateral(state: Rate, collateral: bigint): bigint {
  if (!hasRate(state)) return collateral;
  return (collateral * state.totalScaled) / (state.collateralSupply << FRACTION_BITS);
}

/**
 * The least collateral that redeems for at least `amount` base units of USDC. It redeems for less
 * than `amount` plus the value of one unit.
 */
export function collateralAmountFor(state: Rate, amount: bigint): bigint {
  if (!hasRate(state)) return amount;
  const wanted = (amount << FRACTION_BITS) * state.collateralSupply;
  return (wanted + state.totalScaled - 1n) / state.totalScaled;
}

/**
 * How much of the `held` collateral a withdrawal of `amount` base units redeems, where `state` was
 * read at `slot`. The program refuses a redemption above the amount plus one unit's value, and
 * collateral gains value with each slot. So the result satisfies that rule at the highest rate at
 * which the transaction can land; at a lower rate it redeems for slightly less than the amount. If
 * the last unit would exceed what the reserve can pay out, it is left out. At least 1, so that a
 * withdrawal of nothing is refused by the chain.
 */
export function collateralToRedeem(
  state: ReserveState,
  { held, amount, slot }: { readonly held: bigint; readonly amount: bigint; readonly slot: bigint },
): bigint {
  const { available, collateralSupply } = state;
  const totalScaled = highestTotal(state.interest, state.totalScaled, slot);
  const highest = { totalScaled, collateralSupply };
  const wanted = collateralAmountFor(highest, amount);
  const isOverByOne = amount <= available && valueOfCollateral(highest, wanted) > available;
  const fitting = isOverByOne ? wanted - 1n : wanted;
  const redeemed = fitting < held ? fitting : held;
  return redeemed > 0n ? redeemed : 1n;
}

/**
 * The most of the `held` collateral that the reserve can pay for now, where `state` was read at
 * `slot`: all of it, or as much as it can pay for at the highest rate at which the transaction can
 * land.
 */
export function payableCollateral(
  state: ReserveState,
  { held, slot }: { readonly held: bigint; readonly slot: bigint },
): bigint {
  const { available, collateralSupply } = state;
  if (valueOfCollateral(state, held) <= available) return held;
  const totalScaled = highestTotal(state.interest, state.totalScaled, slot);
  if (!hasRate({ totalScaled, collateralSupply })) return available;
  // The greatest number whose value, rounded down, is at most `available`.
  const beyond = (available + 1n) * (collateralSupply << FRACTION_BITS);
  return (beyond - 1n) / totalScaled;
}

/**
 * The largest possible withdrawal for a `principal`, in base units. A withdrawal of the whole
 * principal includes its interest, and the reserve must be able to pay both.
 */
export function withdrawableOf(state: ReserveState, held: bigint, principal: bigint): bigint {
  if (valueOfCollateral(state, held) <= state.available) return principal;
  const some = principal > 0n ? principal - 1n : 0n;
  return state.available < some ? state.available : some;
}

/** The interest of collateral over its principal, in base units of USDC; never below 0. */
export function accruedOf(state: ReserveState, collateral: bigint, principal: bigint): bigint {
  const earned = valueOfCollateral(state, collateral) - principal;
  return earned > 0n ? earned : 0n;
}
