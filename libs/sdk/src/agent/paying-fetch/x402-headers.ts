/** The headers of a paid request in standard x402, version 2. */
import { z } from 'zod';
import type { StandardOffer } from './offer.ts';

const MAX_HEADER_CHARS = 16_384;
/** Maximum length of quoted text of the service. */
const SHOWN_CHARS = 200;

/** The value of `PAYMENT-SIGNATURE`: the offer as it was received, and the transaction in base64. */
export function paymentHeader({ accepted, resource }: StandardOffer, transaction: string): string {
  const payload = { transaction };
  return encode({
    x402Version: 2,
    ...(resource === undefined ? {} : { resource }),
    accepted,
    payload,
  });
}

const settlementSchema = z.looseObject({
  success: z.boolean().optional(),
  transaction: z.string().optional(),
  errorReason: z.string().optional(),
});
const requiredSchema = z.looseObject({ error: z.string() });

/**
 * What a service says about the settlement. `isUnderWay`: the transaction was or may have been sent.
 * `why` is the reason that it gives, with printable ASCII only. None of it is a proof.
 */
export function readSettlement(headers: Headers): {
  readonly isUnderWay: boolean;
  readonly why: string;
} {
  const response = settlementSchema.safeParse(
    decode(headers.get('payment-response') ?? headers.get('x-payment-response')),
  );
  const required = requiredSchema.safeParse(decode(headers.get('payment-required')));
  const { success, transaction = '', errorReason } = response.data ?? {};
  const why = errorReason ?? required.data?.error ?? 'no reason given';
  return {
    isUnderWay: success === true || transaction !== '' || errorReason === 'settlement_pending',
    why: why.slice(0, SHOWN_CHARS).replaceAll(/[^ -~]/g, '?'),
  };
}

function encode(value: object): string {
  const bytes = new TextEncoder().encode(JSON.stringify(value));
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}

function decode(value: string | null): unknown {
  if (value === null || value.length > MAX_HEADER_CHARS) return null;
  try {
    const bytes = Uint8Array.from(atob(value), (byte) => byte.charCodeAt(0));
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return null;
  }
}
