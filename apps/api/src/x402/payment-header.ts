/** The headers of a paid request in standard x402, version 2. */

import { isJsonRecord, parseExactJson } from './exact-json.ts';
import type { PlainHeaders } from '@agent-wallet/egress';

const MAX_HEADER_CHARS = 16_384;
const SIGNATURE = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/;

/**
 * The value of `PAYMENT-SIGNATURE`. `verbatim` is the accepted offer as received JSON text,
 * `resource` the challenge's `resource` as JSON text (null without one), `transaction` the payment,
 * signed by the payer but not by the fee payer.
 */
export function paymentSignatureHeader(
  verbatim: string,
  resource: string | null,
  transaction: Uint8Array,
): string {
  const payload = JSON.stringify({ transaction: Buffer.from(transaction).toString('base64') });
  const resourceMember = resource === null ? '' : `"resource":${resource},`;
  // Composed as text: parsing and serializing the offer again could change it.
  const text = `{"x402Version":2,${resourceMember}"accepted":${verbatim},"payload":${payload}}`;
  return Buffer.from(text).toString('base64');
}

/**
 * The chain signature that a service names in `PAYMENT-RESPONSE`, whatever its status; null without
 * one. It is a hint for a lookup on chain, never a proof.
 */
export function signatureInPaymentResponse(headers: PlainHeaders): string | null {
  const value = headers['payment-response'] ?? headers['x-payment-response'];
  if (value === undefined || value.length > MAX_HEADER_CHARS) return null;
  const answer = parseExactJson(Buffer.from(value, 'base64'));
  const signature = isJsonRecord(answer) ? answer['transaction'] : null;
  return typeof signature === 'string' && SIGNATURE.test(signature) ? signature : null;
}
