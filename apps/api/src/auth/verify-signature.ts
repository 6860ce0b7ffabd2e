import { ed25519 } from '@noble/curves/ed25519.js';
import { signedForms } from './sign-in-message.ts';

/** Whether `pubkey` (32 bytes) is the canonical encoding of a point on the curve. */
export function isOnCurve(pubkey: Uint8Array): boolean {
  try {
    ed25519.Point.fromBytes(pubkey, false);
    return true;
  } catch {
    return false;
  }
}

/**
 * Whether `signature` (64 bytes) is valid for `pubkey` and one of the signed forms of `text`.
 *
 * Verification is strict (`zip215: false`): the lenient form accepts a constant signature for keys
 * of small order, so that anyone could sign in as their owner.
 */
export function isSignedBy(pubkey: Uint8Array, text: string, signature: Uint8Array): boolean {
  return signedForms(text, pubkey).some((form) =>
    ed25519.verify(signature, form, pubkey, { zip215: false }),
  );
}
