import { ed25519 } from '@noble/curves/ed25519.js';
import { signedForms } from './sign-in-message.ts';

/** Whether `pubkey` (32 bytes) is a point of the curve, in its one canonical encoding. */
export function isOnCurve(pubkey: Uint8Array): boolean {
  try {
    ed25519.Point.fromBytes(pubkey, false);
    return true;
  } catch {
    return false;
  }
}

/**
 * Whether `signature` (64 bytes) is the owner's over one of the signed forms of `text`.
 *
 * Strict verification (`zip215: false`): the lenient one accepts a constant signature for keys of
 * small order, which would let anybody sign in as them.
 */
export function isSignedBy(pubkey: Uint8Array, text: string, signature: Uint8Array): boolean {
  return signedForms(text, pubkey).some((form) =>
    ed25519.verify(signature, form, pubkey, { zip215: false }),
  );
}
