import type { Fetch } from '../../http/http-client.ts';
import type { Clock, TimeLimit } from '../../http/time-limit.ts';
import type { AgentApi } from '../agent-api.ts';
import { AGENT_CALLS } from '../calls.ts';
import type { WaitFor } from '../wait-for.ts';
import type { Offer } from './offer.ts';
import { notDelivered } from './payment-errors.ts';
import { type PaidRequest, sendTo, withPayment } from './send-to.ts';

/** What shows a service that it was paid. */
export type Proof = {
  readonly kind: 'proof';
  readonly spendId: string;
  readonly signature: string;
  readonly header: string;
  readonly idempotencyKey: string;
};

const DELIVERY_PAUSES_MS = [1_000, 2_000];
/** A service that has not seen the payment yet, or is busy: the same proof may succeed. */
const NOT_YET: ReadonlySet<number> = new Set([402, 408, 425, 429]);

/** Pays the offer, and waits until the chain shows it. */
export async function payForProof(
  { api, waitFor }: { readonly api: AgentApi; readonly waitFor: WaitFor },
  { url, settings }: Pick<PaidRequest, 'url' | 'settings'>,
  { recipient, amount }: Pick<Offer, 'recipient' | 'amount'>,
  limit: TimeLimit,
): Promise<Proof> {
  const { idempotencyKey } = settings;
  const body = { url: url.href, recipient, amount };
  const paid = await api.spend(AGENT_CALLS.signPayment, { ...settings, body }, limit);
  const { spend_id: spendId } = paid;
  const isDone = paid.status === 'confirmed';
  const spend = isDone ? paid : await waitFor({ spendId, idempotencyKey }, limit);
  const { tx_signature: signature, payment_proof_header: header } = spend;
  return { kind: 'proof', spendId, signature, header: header ?? signature, idempotencyKey };
}

/** Repeats the request with the proof, up to three times; it never pays again. */
export async function showProof(
  deps: { readonly fetch: Fetch; readonly clock: Clock },
  request: PaidRequest,
  limit: TimeLimit,
  proof: Proof,
): Promise<Response> {
  const remedy = 'repeat the call with the same idempotencyKey: it does not pay twice';
  for (const pauseMs of [...DELIVERY_PAUSES_MS, null]) {
    const isLast = pauseMs === null || pauseMs >= limit.remainingMs();
    try {
      const response = await sendTo(deps, request, limit, { 'x-payment-proof': proof.header });
      const isNotYet = NOT_YET.has(response.status) || response.status >= 500;
      if (!isNotYet || isLast) return withPayment(response, proof);
      await response.body?.cancel();
    } catch (cause) {
      limit.signal?.throwIfAborted();
      if (isLast) throw notDelivered(request.url, { ...proof, remedy }, cause);
    }
    if (pauseMs !== null) await deps.clock.sleep(pauseMs, limit.signal);
  }
  throw notDelivered(request.url, { ...proof, remedy });
}
