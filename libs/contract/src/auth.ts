import { z } from 'zod';
import { address } from './address.ts';

const SIGNATURE_FAULT = 'must be the base64 text of a 64-byte signature';

/** `{}` or no body at all. */
export const emptyBody = z.object({}, { error: 'must be a JSON object or empty' }).nullish();

/** `message` holds the placeholder `{pubkey}`; what the wallet signs has the address in its place. */
export const nonceAnswer = z.object({
  nonce: z.string(),
  message: z.string(),
  expires_at: z.iso.datetime(),
});

export const signInBody = z.object(
  {
    pubkey: address,
    signature: z
      .string({ error: SIGNATURE_FAULT })
      .refine((text) => decodeSignature(text) !== null, { error: SIGNATURE_FAULT }),
    nonce: z
      .string({ error: 'must be 32 lowercase hex characters' })
      .regex(/^[0-9a-f]{32}$/, { error: 'must be 32 lowercase hex characters' }),
  },
  { error: 'must be a JSON object' },
);

export const signInAnswer = z.object({ pubkey: z.string(), expires_at: z.iso.datetime() });

export const signOutAnswer = z.object({ signed_out: z.literal(true) });

/** The 64 bytes of a base64 signature; null unless the text is their one canonical form. */
export function decodeSignature(text: string): Buffer | null {
  if (text.length !== 88) return null;
  const bytes = Buffer.from(text, 'base64');
  return bytes.length === 64 && bytes.toString('base64') === text ? bytes : null;
}
