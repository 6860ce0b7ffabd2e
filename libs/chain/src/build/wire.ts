/** Signatures, and the messages they identify. */

import bs58 from 'bs58';

import type { ChainTransaction } from '../rpc/read/chain-reads.ts';

const SIGNATURE_BYTES = 64;
const SIGNATURE_TEXT = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/;
/** After the count of signatures and the fee payer's own. */
const SESSION_SIGNATURE_AT = 1 + SIGNATURE_BYTES;

/** Whether an untrusted text is a well-formed signature. */
export function isSignature(text: string): boolean {
  if (!SIGNATURE_TEXT.test(text)) return false;
  return bs58.decodeUnsafe(text)?.length === SIGNATURE_BYTES;
}

/**
 * Whether a transaction on the chain contains the message in these wire bytes, regardless of its
 * fee payer and sender: the session key's signature belongs to one message only.
 */
export function isTransactionOf(
  wire: Uint8Array,
  { signatures }: Pick<ChainTransaction, 'signatures'>,
): boolean {
  const end = SESSION_SIGNATURE_AT + SIGNATURE_BYTES;
  return (
    wire.length > end && signatures[1] === bs58.encode(wire.subarray(SESSION_SIGNATURE_AT, end))
  );
}
