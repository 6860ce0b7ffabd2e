/** Blockhashes of the in-memory chain: each encodes the slot it was made in. */
import bs58 from 'bs58';

/** Number of blocks for which a blockhash is valid. */
export const BLOCKHASH_BLOCKS = 150n;
/** A blockhash that encodes its slot. */
export function blockhashOf(slot: bigint): string {
  const bytes = Buffer.alloc(32, 7);
  bytes.writeBigUInt64LE(slot);
  return bs58.encode(bytes);
}

export function lastValidHeightOf(blockhash: string): bigint {
  return Buffer.from(bs58.decode(blockhash)).readBigUInt64LE() + BLOCKHASH_BLOCKS;
}
