import { PaymentPayloadV2Schema } from '@x402/core/schemas';
import { describe, expect, it } from 'vitest';

import { paymentSignatureHeader, signatureInPaymentResponse } from './payment-header.ts';
import { offer, resource, nothing, headerOf } from '../../test/fixtures/challenges.ts';

describe('the headers of a paid request', () => {
  it('hold the offer as it was received, in the form of the reference', () => {
    const verbatim = JSON.stringify(offer).replace(
      '"maxTimeoutSeconds":60',
      '"maxTimeoutSeconds":60.0',
    );
    const header = paymentSignatureHeader(
      verbatim,
      JSON.stringify(resource),
      Buffer.from([1, 2, 3]),
    );
    const text = Buffer.from(header, 'base64').toString();
    expect(text).toContain(`"accepted":${verbatim}`);
    expect(PaymentPayloadV2Schema.parse(JSON.parse(text))).toEqual({
      x402Version: 2,
      resource,
      accepted: offer,
      payload: { transaction: 'AQID' },
    });
    const bare = JSON.parse(
      Buffer.from(paymentSignatureHeader(verbatim, null, nothing), 'base64').toString(),
    ) as unknown;
    expect(bare).not.toHaveProperty('resource');
  });

  const signature = '5'.repeat(88);
  it.each<[value: string, found: string | null]>([
    [headerOf({ success: true, transaction: signature }), signature],
    [headerOf({ success: false, transaction: signature }), signature],
    [headerOf({ success: false, transaction: '' }), null],
    [headerOf({ success: true }), null],
    [headerOf({ transaction: [signature] }), null],
    [headerOf({ transaction: `${signature.slice(0, 87)}0` }), null],
    [headerOf({ transaction: '5'.repeat(89) }), null],
    [headerOf([]), null],
    ['garbage', null],
    ['A'.repeat(16_385), null],
  ])('tell the signature, or none: %s', (value, found) => {
    expect(signatureInPaymentResponse({ 'payment-response': value })).toBe(found);
    expect(signatureInPaymentResponse({})).toBeNull();
  });
});
