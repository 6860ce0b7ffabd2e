/**
 * Addresses as base58 text and as bytes. Base58 is slow, and a chain meets the same few addresses
 * all the time, so both directions are remembered.
 */

import bs58 from 'bs58';

const REMEMBERED = 50_000;
const ADDRESS_BYTES = 32;
const texts = new Map<string, string>();
const bytes = new Map<string, Uint8Array>();

/** The bytes as a map key: one character a byte, much cheaper than base58. */
export function byteKey(value: Uint8Array): string {
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('latin1');
}

/** The base58 text of 32 bytes. */
export function addressOf(value: Uint8Array): string {
  const key = byteKey(value);
  const known = texts.get(key);
  if (known !== undefined) return known;
  const text = bs58.encode(value);
  if (texts.size >= REMEMBERED) texts.clear();
  texts.set(key, text);
  return text;
}

/** The 32 bytes of an address; null when the text is no address. */
export function parseAddress(text: string): Uint8Array | null {
  const known = bytes.get(text);
  if (known !== undefined) return known;
  const value = bs58.decodeUnsafe(text);
  if (value?.length !== ADDRESS_BYTES) return null;
  if (bytes.size >= REMEMBERED) bytes.clear();
  bytes.set(text, value);
  return value;
}

/** The 32 bytes of an address that is known to be one. */
export function bytesOf(address: string): Uint8Array {
  const value = parseAddress(address);
  if (value === null) throw new TypeError(`${address} is not an address`);
  return value;
}
