import { type ErrorRows, SIGNATURE, SPEND_ID } from './error-row.ts';

/** Of paid services. */
export const SERVICE_ERROR_ROWS = {
  SERVICE_PROBE_FAILED: {
    status: 502,
    error: 'service probe failed',
    retryable: true,
    when: 'no answer of the service, or a 402 that cannot be read',
    extra: { detail: 'timeout' },
  },
  CHALLENGE_MISMATCH: {
    status: 502,
    error: 'service probe failed',
    retryable: false,
    when: 'the service asks for something else than the catalogue says; deny row',
    extra: { detail: 'payee' },
  },
  UNSUPPORTED_BY_SERVICE: {
    status: 502,
    error: 'service probe failed',
    varies: ['error'],
    retryable: false,
    when: 'the service or its facilitator takes no payments of this kind; nothing moved',
    extra: { detail: 'version' },
  },
  SERVICE_DID_NOT_DELIVER: {
    status: 502,
    error: 'service did not deliver',
    retryable: false,
    when: 'paid, and no usable answer; x-tx-signature has the signature',
    extra: { spend_id: SPEND_ID, tx_signature: SIGNATURE },
  },
  PAYMENT_REFUSED: {
    status: 502,
    error: 'service did not deliver',
    retryable: false,
    when: 'the service refused the payment; reserved until it can no longer land',
    extra: { spend_id: SPEND_ID },
  },
  NOT_SETTLED: {
    status: 502,
    error: 'service did not deliver',
    retryable: true,
    when: 'a facilitator provably never sent the payment: nothing moved',
    extra: { spend_id: SPEND_ID },
  },
  ANSWER_NOT_FOUND: {
    status: 404,
    error: 'answer not found',
    retryable: false,
    when: 'a replay of what was paid and delivered so long ago that the answer is no longer kept',
    extra: { spend_id: SPEND_ID, tx_signature: SIGNATURE },
  },
} as const satisfies ErrorRows;
