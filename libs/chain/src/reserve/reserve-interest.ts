/**
 * The most that a reserve can have earned by the time a transaction lands. The account shows the
 * state at its last use; its debts grow with each slot by a rate that depends on the amount lent
 * out.
 */

/** Offsets of Kamino Lend's account. */
const AT = { updatedSlot: 16, borrowed: 232, fixedRate: 4_858, curve: 4_920 } as const;
const CURVE_POINTS = 11;

const WHOLE_BP = 10_000n;
/** Kamino Lend assumes two slots per second. */
const SLOTS_PER_YEAR = 2n * 60n * 60n * 24n * 365n;
/** A blockhash is valid for 150 blocks; some slots have no block. */
const SLOTS_AHEAD = 300n;
/** Beyond this, precision no longer matters. */
const MOST_YEARS = 64n;

type CurvePoint = { readonly utilizationBp: bigint; readonly rateBp: bigint };

/** The interest state of a reserve. Rates are yearly. */
export type ReserveInterest = {
  /** The slot up to which interest is in the account. */
  readonly updatedSlot: bigint;
  /** The amount lent out, in base units times 2^60. */
  readonly borrowedScaled: bigint;
  /** Yearly rates by utilization, ascending. */
  readonly curve: readonly CurvePoint[];
  /** The rate that borrowers pay on top of the curve's rate. */
  readonly fixedRateBp: bigint;
};

/** Decodes it from the bytes of a reserve's account. */
export function decodeInterest(bytes: Buffer): ReserveInterest {
  const curve = Array.from({ length: CURVE_POINTS }, (_, point) => ({
    utilizationBp: BigInt(bytes.readUInt32LE(AT.curve + 8 * point)),
    rateBp: BigInt(bytes.readUInt32LE(AT.curve + 8 * point + 4)),
  }));
  return {
    updatedSlot: bytes.readBigUInt64LE(AT.updatedSlot),
    borrowedScaled:
      bytes.readBigUInt64LE(AT.borrowed) + (bytes.readBigUInt64LE(AT.borrowed + 8) << 64n),
    curve,
    fixedRateBp: BigInt(bytes.readUInt16LE(AT.fixedRate)),
  };
}

/**
 * The most that all collateral can be worth between `slot`, at which the account was read, and the
 * expiry of a transaction built from it. Until `slot` the reserve was not used, so its debts grew
 * at the rate that the account shows. After that a borrower may take all available funds.
 */
export function highestTotal(
  { updatedSlot, borrowedScaled, curve, fixedRateBp }: ReserveInterest,
  totalScaled: bigint,
  slot: bigint,
): bigint {
  const passed = slot > updatedSlot ? slot - updatedSlot : 0n;
  const rateBp = rateAt(curve, ceilOf(borrowedScaled * WHOLE_BP, totalScaled)) + fixedRateBp;
  const now = totalScaled + mostInterest(borrowedScaled, rateBp, passed);
  const highestBp = curve.reduce((most, point) => maxOf(most, point.rateBp), 0n) + fixedRateBp;
  return now + mostInterest(now, highestBp, SLOTS_AHEAD);
}

/** Linear between two points; beyond the curve the rate of its last point applies. */
function rateAt(curve: readonly CurvePoint[], utilizationBp: bigint): bigint {
  let before: CurvePoint | undefined;
  for (const point of curve) {
    if (utilizationBp <= point.utilizationBp) {
      if (before === undefined || point.rateBp <= before.rateBp) {
        return maxOf(point.rateBp, before?.rateBp ?? 0n);
      }
      const rise = (point.rateBp - before.rateBp) * (utilizationBp - before.utilizationBp);
      return before.rateBp + ceilOf(rise, point.utilizationBp - before.utilizationBp);
    }
    before = point;
  }
  return before?.rateBp ?? 0n;
}

/** An upper bound of compounding in each slot: e^x ≤ 1 + x + x² up to x = 1, and e < 3. */
function mostInterest(scaled: bigint, rateBp: bigint, slots: bigint): bigint {
  const year = WHOLE_BP * SLOTS_PER_YEAR;
  const grown = rateBp * slots;
  if (grown <= year) return ceilOf(scaled * grown * (year + grown), year * year);
  const years = ceilOf(grown, year);
  return scaled * (3n ** (years < MOST_YEARS ? years : MOST_YEARS) - 1n);
}

/** 0 when the divisor is 0. */
function ceilOf(dividend: bigint, divisor: bigint): bigint {
  return divisor > 0n ? (dividend + divisor - 1n) / divisor : 0n;
}

const maxOf = (a: bigint, b: bigint): bigint => (a > b ? a : b);
