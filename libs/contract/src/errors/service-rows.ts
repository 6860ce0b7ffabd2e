import { SAMPLE } from '../fields/samples.ts';
import type { ErrorRows } from './error-row.ts';

/** Refusals of payments to services. */
export const SERVICE_ROWS = {
  SERVICE_PROBE_FAILED: {
    status: 502,
    error: 'service probe failed',
    retryable: true,
    when: 'the service does not respond, or sends a 402 that cannot be parsed',
    example: { detail: 'timeout' },
  },
  CHALLENGE_MISMATCH: {
    status: 502,
    error: 'service probe failed',
    retryable: false,
    when: 'the terms of the 402 differ from the catalog entry; deny row',
    example: { detail: 'payee' },
  },
  UNSUPPORTED_BY_SERVICE: {
    status: 502,
    error: 'service probe failed',
    varies: ['error'],
    retryable: false,
    when: 'the service or its facilitator does not take payments of this kind; nothing moved',
    example: { detail: 'version' },
  },
  SERVICE_DID_NOT_DELIVER: {
    status: 502,
    error: 'service did not deliver',
    retryable: false,
    when: 'paid, but without a usable response; x-tx-signature has the signature',
    example: { spend_id: SAMPLE.spendId, tx_signature: SAMPLE.signature },
  },
  PAYMENT_REFUSED: {
    status: 502,
    error: 'service did not deliver',
    retryable: false,
    when: 'the service refused the payment; the amount stays reserved until it cannot land any more',
    example: { spend_id: SAMPLE.spendId },
  },
  NOT_SETTLED: {
    status: 502,
    error: 'service did not deliver',
    retryable: true,
    remedy: 'nothing moved: retry, with a new Idempotency-Key if this request had one',
    when: 'a facilitator provably never sent the payment: nothing moved',
    example: { spend_id: SAMPLE.spendId },
  },
  ANSWER_NOT_FOUND: {
    status: 404,
    error: 'answer not found',
    retryable: false,
    remedy: 'it was delivered and is no longer kept; a request under a new key pays again',
    when: 'a replay of a delivered payment whose stored response has been removed',
    example: { spend_id: SAMPLE.spendId, tx_signature: SAMPLE.signature },
  },
} as const satisfies ErrorRows;
