import { z } from 'zod';
import { address } from '../fields/address.ts';
import { SAMPLE } from '../fields/samples.ts';

const SIGNATURE_FAULT = 'must be the base64 text of a 64-byte signature';

/** `{}` or no body at all. */
export const emptyBody = z
  .object({}, { error: 'must be a JSON object or empty' })
  .nullish()
  .meta({ description: 'Empty, or an empty object.', examples: [{}] });

/** `message` contains the placeholder `{pubkey}`; the wallet signs it with the address instead. */
export const nonceAnswer = z
  .object({ nonce: z.string(), message: z.string(), expires_at: z.iso.datetime() })
  .meta({
    description:
      'A nonce for one attempt, and the text to sign with the address in place of {pubkey}.',
    examples: [
      {
        nonce: SAMPLE.nonce,
        message: 'localhost:3000 wants you to sign in with your Solana account:\n{pubkey}\n\n…',
        expires_at: SAMPLE.iso,
      },
    ],
  });

export const signInBody = z
  .object(
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
  )
  .meta({
    examples: [{ pubkey: SAMPLE.owner, signature: `${'A'.repeat(86)}==`, nonce: SAMPLE.nonce }],
  });

export const signInAnswer = z.object({ pubkey: z.string(), expires_at: z.iso.datetime() }).meta({
  description: 'Signed in; the cookie svc_session is set.',
  examples: [{ pubkey: SAMPLE.owner, expires_at: SAMPLE.iso }],
});

export const signOutAnswer = z
  .object({ signed_out: z.literal(true) })
  .meta({ description: 'The cookie is no longer valid.', examples: [{ signed_out: true }] });

/** The 64 bytes of a base64 signature; null unless the text is their canonical form. */
export function decodeSignature(text: string): Uint8Array | null {
  if (!/^[A-Za-z0-9+/]{86}==$/.test(text)) return null;
  // Not Buffer: browsers read these schemas too.
  const binary = atob(text);
  return btoa(binary) === text ? Uint8Array.from(binary, (byte) => byte.charCodeAt(0)) : null;
}
