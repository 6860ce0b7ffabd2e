import type { Words } from './words.ts';

/** Refusals of payments to services, and of spends that never reached the chain. */
export const SERVICE_WORDS = {
  SERVICE_PROBE_FAILED: { why: 'The service did not answer. Nothing was paid.' },
  CHALLENGE_MISMATCH: {
    why: 'The service asked for a payment other than its catalog entry says. Nothing was paid.',
  },
  UNSUPPORTED_BY_SERVICE: {
    why: 'The service accepts no payment that this wallet can make. Nothing was paid.',
  },
  SERVICE_DID_NOT_DELIVER: {
    why: 'The service was paid and did not deliver.',
    advice: 'The transaction is the proof of payment.',
  },
  PAYMENT_REFUSED: {
    why: 'The service refused the payment. The amount stays reserved until it cannot land any more.',
  },
  NOT_SETTLED: { why: 'The service never submitted the payment. Nothing was paid.' },
  ANSWER_NOT_FOUND: { why: 'The answer of the service was delivered and is no longer kept.' },
  SERVICE_NOT_FOUND: { why: 'The catalog has no such service.' },
} as const satisfies Record<string, Words>;

/** Reasons of corrections: the log's later rows about a spend that was decided before. */
export const CORRECTION_WORDS = {
  FORKED_OUT: { why: 'The chain undid the payment in a fork. Nothing was paid.' },
  LANDED_AFTER_REVERT: { why: 'The payment first failed on chain, and then went through.' },
  LANDED_AFTER_REJECT: { why: 'The payment was taken for lost, and then went through.' },
} as const satisfies Record<string, Words>;
