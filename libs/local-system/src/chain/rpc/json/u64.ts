declare global {
  interface JSON {
    /** Of Node, not yet in TypeScript's library: JSON.stringify writes the text as it is. */
    rawJSON(text: string): object;
  }
}

/** A u64 as a JSON number with all its digits, for clients that read more than 53 bits. */
export function u64(value: bigint): number | object {
  return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : JSON.rawJSON(value.toString());
}
