import type { Fetch } from '../../http/http-client.ts';
import type { Clock, TimeLimit } from '../../http/time-limit.ts';
import type { AgentApi } from '../agent-api.ts';
import { AGENT_CALLS } from '../calls.ts';
import { stillPending, type WaitFor } from '../wait-for.ts';
import type { StandardOffer } from './offer.ts';
import { notDelivered, paymentRefused } from './payment-errors.ts';
import { type PaidRequest, sendTo, withPayment } from './send-to.ts';
import { paymentHeader, readSettlement } from './x402-headers.ts';

/** A signed transaction that the service's facilitator sends. */
export type HandedOut = {
  readonly kind: 'transaction';
  readonly spendId: string;
  /** The value of `PAYMENT-SIGNATURE`. */
  readonly header: string;
  readonly idempotencyKey: string;
};

const SIGNING_PAUSE_MS = 500;
/** How long a response waits for the chain: where the service says that it was paid, and else. */
const REPORTED_MS = 30_000;
const UNREPORTED_MS = 5_000;

/**
 * Has the transaction of a standard offer signed. Under one key the API returns the same bytes, and
 * none after they have landed: then this throws `SERVICE_DID_NOT_DELIVER`.
 */
export async function signForOffer(
  { api, clock }: { readonly api: AgentApi; readonly clock: Clock },
  { url, settings }: Pick<PaidRequest, 'url' | 'settings'>,
  offer: StandardOffer,
  limit: TimeLimit,
): Promise<HandedOut> {
  const { recipient, amount, feePayer, memo } = offer;
  const { idempotencyKey } = settings;
  const facilitator = { fee_payer: feePayer, ...(memo === null ? {} : { memo }) };
  const body = { url: url.href, recipient, amount, facilitator };
  for (;;) {
    const signed = await api.spend(AGENT_CALLS.signPayment, { ...settings, body }, limit);
    const { spend_id: spendId } = signed;
    if (signed.status === 'confirmed') {
      const remedy = 'an earlier call with this idempotencyKey was paid; do not repeat it';
      throw notDelivered(url, { spendId, signature: signed.tx_signature, idempotencyKey, remedy });
    }
    if (signed.transaction !== undefined) {
      const header = paymentHeader(offer, signed.transaction);
      return { kind: 'transaction', spendId, header, idempotencyKey };
    }
    if (limit.remainingMs() <= SIGNING_PAUSE_MS) throw stillPending(spendId, idempotencyKey);
    await clock.sleep(SIGNING_PAUSE_MS, limit.signal);
  }
}

/**
 * Repeats the request with the transaction, once, and waits for what the chain shows. Throws
 * `PAYMENT_REFUSED` for another 402. Nothing is signed again.
 */
export async function showTransaction(
  deps: { readonly fetch: Fetch; readonly clock: Clock; readonly waitFor: WaitFor },
  request: PaidRequest,
  limit: TimeLimit,
  payment: HandedOut,
): Promise<Response> {
  const { url } = request;
  const response = await sendTo(deps, request, limit, {
    'payment-signature': payment.header,
  }).catch(async (cause: unknown) => {
    limit.signal?.throwIfAborted();
    // The service may have the transaction: the chain tells.
    const { tx_signature: signature } = await deps.waitFor(payment, limit);
    const remedy = 'claim the response from the service with the signature; do not pay again';
    throw notDelivered(url, { ...payment, signature, remedy }, cause);
  });
  const settlement = readSettlement(response.headers);
  const isRefused = response.status === 402;
  if (isRefused && !settlement.isUnderWay) {
    await response.body?.cancel();
    throw paymentRefused(url, payment, settlement.why);
  }
  const waitMs = settlement.isUnderWay ? REPORTED_MS : UNREPORTED_MS;
  try {
    const spend = await deps.waitFor(payment, shorten(limit, waitMs, deps.clock));
    return withPayment(response, { ...payment, signature: spend.tx_signature });
  } catch (error) {
    // What the service delivered is the caller's, whatever became of the payment.
    if (!isRefused && limit.signal?.aborted !== true) {
      return withPayment(response, { ...payment, signature: null });
    }
    await response.body?.cancel();
    throw error;
  }
}

function shorten(limit: TimeLimit, mostMs: number, { nowMs }: Clock): TimeLimit {
  const endMs = nowMs() + mostMs;
  return {
    remainingMs: () => Math.min(limit.remainingMs(), endMs - nowMs()),
    signal: limit.signal,
  };
}
