/** A u64 as a JSON number; above 2^53 it is rounded, as clients that use JSON.parse round it. */
export function u64(value: bigint): number {
  return Number(value);
}
