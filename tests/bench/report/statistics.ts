/** The value below which the fraction `q` of the numbers lies; NaN for none. */
export function quantile(numbers: readonly number[], q: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN;
}

export const median = (numbers: readonly number[]): number => quantile(numbers, 0.5);

/** The median of rounds with its spread, as in `63 (58–70) /s`. */
export function describeRounds(rounds: readonly number[], unit: string): string {
  const spread =
    rounds.length > 1 ? ` (${short(Math.min(...rounds))}–${short(Math.max(...rounds))})` : '';
  return `${short(median(rounds))}${spread}${unit === '' ? '' : ` ${unit}`}`;
}

/** A number with about three digits. */
export function short(value: number): string {
  if (!Number.isFinite(value)) return '?';
  if (Math.abs(value) >= 100) return value.toFixed(0);
  return String(Number(value.toPrecision(value < 1 ? 2 : 3)));
}
