import bs58 from 'bs58';
import { mismatch } from './mismatch.ts';

/** The largest transaction that the network takes. */
const MAX_BYTES = 1_232;
const ADDRESS_BYTES = 32;

/** Reads bytes from the front; each read throws `TRANSACTION_MISMATCH` where they do not fit. */
export type ByteReader = {
  take(count: number): Uint8Array;
  byte(): number;
  /** An unsigned integer, the lowest byte first. */
  unsigned(bytes: number): bigint;
  signed(bytes: number): bigint;
  /** A length in Solana's compact form, in its one canonical encoding. */
  length(): number;
  /** The base58 text of the next 32 bytes. */
  address(): string;
  /** Throws unless every byte was read. */
  end(): void;
};

/** `place` names the bytes in errors. */
export function readBytes(bytes: Uint8Array, place: string): ByteReader {
  if (bytes.length > MAX_BYTES) throw mismatch(place, `has more than ${MAX_BYTES} bytes`);
  let at = 0;
  const take = (count: number): Uint8Array => {
    if (at + count > bytes.length) throw mismatch(place, 'ends early');
    at += count;
    return bytes.slice(at - count, at);
  };
  const byte = (): number => take(1)[0] ?? 0;
  const unsigned = (count: number): bigint =>
    take(count).reduceRight((value, next) => value * 256n + BigInt(next), 0n);
  return {
    take,
    byte,
    unsigned,
    signed: (count) => BigInt.asIntN(count * 8, unsigned(count)),
    length: () => {
      const low = byte();
      if (low < 0x80) return low;
      const high = byte();
      // A third byte would be a length beyond any transaction; a zero is a longer way to write one.
      if (high === 0 || high >= 0x80) throw mismatch(place, 'has a malformed length');
      return (low & 0x7f) | (high << 7);
    },
    address: () => bs58.encode(take(ADDRESS_BYTES)),
    end: () => {
      if (at !== bytes.length) throw mismatch(place, `has ${bytes.length - at} more bytes`);
    },
  };
}
