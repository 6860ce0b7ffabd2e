const WHOLE_BP = 10_000n;
const BP_PER_PERCENT = 100;
const PERCENT = /^(?:100(?:\.0{1,2})?|\d{1,2}(?:\.\d{1,2})?)$/;

/** The basis points that `part` is of `whole`, rounded down; 0 of nothing. */
export const shareOfBp = (part: bigint, whole: bigint): number =>
  whole === 0n ? 0 : Number((part * WHOLE_BP) / whole);

/** Basis points as people read them: `25%`, `12.5%`. */
export const shareText = (bp: number): string => `${bp / BP_PER_PERCENT}%`;

/** The basis points of a text such as `12.5`; null for anything that is no share from 0 to 100. */
export function readShare(text: string): number | null {
  const trimmed = text.trim();
  return PERCENT.test(trimmed) ? Math.round(Number(trimmed) * BP_PER_PERCENT) : null;
}

/**
 * The most that a deposit may be: what is liquid, and no more than brings the deployed share to its
 * limit. The program multiplies across, so this rounds down. Null while the balance is not known.
 */
export function mostToDeposit(
  { liquid, deployed }: { readonly liquid: bigint | null; readonly deployed: bigint },
  maxShareBp: number,
): bigint | null {
  if (liquid === null) return null;
  const most = (BigInt(maxShareBp) * (liquid + deployed)) / WHOLE_BP - deployed;
  if (most <= 0n) return 0n;
  return most < liquid ? most : liquid;
}
