/**
 * How much a reserve can have earned by the time that a transaction lands. Its account is as old as
 * its last use, and its debts grow with every slot by a rate that follows from how much is lent out.
 */

/** Offsets of Kamino Lend's account. */
const AT = { updatedSlot: 16, borrowed: 232, fixedRate: 4_858, curve: 4_920 } as const;
const CURVE_POINTS = 11;

const WHOLE_BP = 10_000n;
/** Kamino Lend counts two slots to the second. */
const SLOTS_PER_YEAR = 2n * 60n * 60n * 24n * 365n;
/** A blockhash lives for 150 blocks; slots without a block come on top. */
const SLOTS_AHEAD = 300n;
/** Rates at which this is reached do not leave anything to be exact about. */
const MOST_YEARS = 64n;

type CurvePoint = { readonly utilizationBp: bigint; readonly rateBp: bigint };

/**
 * @property updatedSlot up to which interest is in the account.
 * @property borrowedScaled what is lent out, base units times 2^60.
 * @property curve yearly rates by utilization, ascending.
 * @property fixedRateBp what borrowers pay on top of the curve's rate.
 */
export type ReserveInterest = {
  readonly updatedSlot: bigint;
  readonly borrowedScaled: bigint;
  readonly curve: readonly CurvePoint[];
  readonly fixedRateBp: bigint;
};

/** Reads it from the bytes of a reserve's account. */
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
 * expiry of a transaction that is made from it. Until `slot` nobody has used the reserve, so its
 * debts grew at the rate that the account shows. After that somebody may borrow all there is.
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

/** Straight between two points; what the curve does not reach has the rate of its last point. */
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

/** At least what compounding in every slot comes to: e^x ≤ 1 + x + x² up to x = 1, and e < 3. */
function mostInterest(scaled: bigint, rateBp: bigint, slots: bigint): bigint {
  const year = WHOLE_BP * SLOTS_PER_YEAR;
  const grown = rateBp * slots;
  if (grown <= year) return ceilOf(scaled * grown * (year + grown), year * year);
  const years = ceilOf(grown, year);
  return scaled * (3n ** (years < MOST_YEARS ? years : MOST_YEARS) - 1n);
}

/** 0 where there is nothing to divide by. */
function ceilOf(dividend: bigint, divisor: bigint): bigint {
  return divisor > 0n ? (dividend + divisor - 1n) / divisor : 0n;
}

const maxOf = (a: bigint, b: bigint): bigint => (a > b ? a : b);
