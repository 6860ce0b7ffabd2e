import type { LeasedDelivery, Try } from '@agent-wallet/spend';
import { type EgressAnswer, headersForAgent, type PlainHeaders } from '@agent-wallet/egress';
import { isJsonRecord, parseExactJson } from '../x402/exact-json.ts';
import { isStatus } from './probe-service.ts';

const LONGEST_PAUSE_MS = 30_000;
const FIRST_PAUSE_MS = { 'x-payment-proof': 1_000, x402: 4_000 } as const;
/** Beside all from 500 on: come back later, or not paid as far as the service can see. */
const NOT_YET: ReadonlySet<number> = new Set([402, 408, 425, 429]);
const SHOWN_CHARS = 200;

/**
 * What one try came to. An answer is usable when it is the service's last word on the request.
 * Our own proof stands for money that is gone, so it is shown again until it is honoured. A
 * facilitator's may still be unspent: it goes again when it may not have arrived, and never after a
 * 402, which is the service's word on it.
 */
export function judgeTry(
  leased: Pick<LeasedDelivery, 'proof' | 'tries'>,
  answer: EgressAnswer,
): Try {
  const isAnswer = answer.kind === 'answered' && isStatus(answer.status);
  const upstream = isAnswer
    ? { status: answer.status, headers: headersForAgent(answer.headers), body: answer.body }
    : null;
  const outcome = answer.kind === 'failed' ? answer.reason : `answered ${answer.status}`;
  const isUsable = upstream !== null && upstream.status < 500 && !NOT_YET.has(upstream.status);
  if (isUsable) {
    return { state: 'delivered', outcome, upstream, refusedWhy: null, tryAgainInMs: null };
  }
  const tryAgainInMs = pauseAfter(leased);
  if (leased.proof === 'x-payment-proof') {
    return { state: 'paid_not_delivered', outcome, upstream, refusedWhy: null, tryAgainInMs };
  }
  const isPaymentRefused = answer.kind === 'answered' && answer.status === 402;
  return {
    state: 'waiting',
    outcome,
    upstream,
    refusedWhy: isPaymentRefused && leased.tries === 1 ? whyRefused(answer.headers) : null,
    tryAgainInMs: isPaymentRefused ? null : tryAgainInMs,
  };
}

/** Whether a service's words mean that it will never take a payment by our program. */
export function isUnsupported(refusedWhy: string): boolean {
  return /program_not_allowed|payload_no_transfer_instruction/.test(refusedWhy);
}

/**
 * Doubled up to 30 s. A facilitator's payment that has landed is known here a second or two later:
 * before that there is no use in showing it again.
 */
function pauseAfter({ proof, tries }: Pick<LeasedDelivery, 'proof' | 'tries'>): number {
  return Math.min(FIRST_PAUSE_MS[proof] * 2 ** Math.min(tries - 1, 10), LONGEST_PAUSE_MS);
}

/**
 * Why a 402 refuses a payment that was not sent; plain characters only. Null when it may have been:
 * with `PAYMENT-RESPONSE` the facilitator tried to settle, whatever the result. A 402 to a
 * later try may follow from what the first one did, so only that of the first is a refusal.
 */
function whyRefused(headers: PlainHeaders): string | null {
  if (headers['payment-response'] !== undefined) return null;
  const said = textIn(headers['payment-required'], 'error') ?? 'no reason given';
  return said.slice(0, SHOWN_CHARS).replace(/[^\u0020-\u007e]/g, '?');
}

function textIn(header: string | undefined, field: string): string | null {
  if (header === undefined) return null;
  const value = parseExactJson(Buffer.from(header, 'base64'));
  const text = isJsonRecord(value) ? value[field] : null;
  return typeof text === 'string' && text !== '' ? text : null;
}
