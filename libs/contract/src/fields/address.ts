import bs58 from 'bs58';
import { z } from 'zod';

const FAULT = 'must be a base58 address of 32 bytes';

/** A Solana address: base58 text of exactly 32 bytes, on the curve or not. */
export const address = z
  .string({ error: FAULT })
  .refine((text) => decodeAddress(text) !== null, { error: FAULT })
  .meta({ description: 'A base58 address of 32 bytes.', pattern: '^[1-9A-HJ-NP-Za-km-z]{32,44}$' });

/** The 32 bytes of a base58 address; null for any other text. */
export function decodeAddress(text: string): Uint8Array | null {
  // 32 bytes are 32 to 44 base58 digits; the bound keeps the quadratic decoder off long input.
  if (text.length < 32 || text.length > 44) return null;
  const bytes = bs58.decodeUnsafe(text);
  return bytes?.length === 32 ? bytes : null;
}
