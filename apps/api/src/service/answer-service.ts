import { ERROR_ROWS } from '@agent-wallet/contract';
import { isPending } from '@agent-wallet/spend';
import type { Agent } from '@agent-wallet/wallet';
import { type HttpRefusal, refuse } from '../http/http-refusal.ts';
import { headersForAgent, type PlainHeaders } from '@agent-wallet/egress';
import { answerSpend, type SpendAnswer } from '../spend/answer/answer-spend.ts';
import { refusalOf } from '../spend/refuse/refusals.ts';
import type { Followed } from './follow-payment.ts';
import { isUnsupported } from './judge-try.ts';
import type { ServiceResult } from './request-service.ts';

type Deps = Parameters<typeof answerSpend>[0];

/** The answer of the service endpoint; `spendId` is null where nothing was paid. */
export type ServiceAnswer =
  | {
      readonly kind: 'passed_on';
      readonly status: number;
      readonly headers: PlainHeaders;
      readonly body: Buffer;
      readonly spendId: string | null;
    }
  | Extract<SpendAnswer, { readonly kind: 'pending' | 'refused' }>;

/** The answer to a call: what the service sent, its open payment, or a refusal. */
export async function answerService(
  deps: Deps,
  agent: Agent,
  result: ServiceResult,
): Promise<ServiceAnswer> {
  switch (result.kind) {
    case 'followed':
      return answerFollowed(deps, agent, result);
    case 'passed_through': {
      const { status, headers, body } = result.answer;
      return { kind: 'passed_on', status, headers: headersForAgent(headers), body, spendId: null };
    }
    default:
      return refused(refusalOf(result));
  }
}

const refused = (refusal: HttpRefusal): ServiceAnswer => ({ kind: 'refused', refusal });

/** The answer to a refused or open payment; a confirmed one has a delivery. */
function paid(answer: SpendAnswer): ServiceAnswer {
  if (answer.kind === 'confirmed') throw new Error('a confirmed payment has a delivery');
  return answer;
}

async function answerFollowed(
  deps: Deps,
  agent: Agent,
  { spend, delivery }: Followed,
): Promise<ServiceAnswer> {
  const { spendId, txSignature } = spend;
  if (isPending(spend.status)) {
    const why = delivery?.refusedWhy ?? null;
    return why === null ? { kind: 'pending', spend } : refused(refusedByService(spendId, why));
  }
  const answer = await answerSpend(deps, agent, { kind: 'known', spend, transaction: null });
  if (answer.kind !== 'confirmed' || delivery === null) return paid(answer);
  const { upstreamStatus, upstreamHeaders, upstreamBody } = delivery;
  if (upstreamStatus !== null && upstreamHeaders !== null && upstreamBody !== null) {
    const headers = { ...upstreamHeaders, 'x-tx-signature': answer.txSignature };
    return { kind: 'passed_on', status: upstreamStatus, headers, body: upstreamBody, spendId };
  }
  if (delivery.state === 'delivered') return refused(answerForgotten(spendId, answer.txSignature));
  if (delivery.state === 'paid_not_delivered') {
    return refused(notDelivered(spendId, txSignature, delivery.tryAt !== null));
  }
  return { kind: 'pending', spend };
}

/**
 * The service refused the payment. It still holds a transaction that it could send, so the money
 * stays reserved until the transaction has expired.
 */
function refusedByService(spendId: string, why: string): HttpRefusal {
  const remedy =
    'check GET /v1/spend/{spend_id}: the service denies the payment, and only the chain proves it';
  const fields = { detail: why, spend_id: spendId, remedy };
  const { error } = ERROR_ROWS.PAYMENT_REFUSED;
  return isUnsupported(why)
    ? refuse('UNSUPPORTED_BY_SERVICE', { error, ...fields })
    : refuse('PAYMENT_REFUSED', fields);
}

/** The answer was delivered, and its retention is over. */
function answerForgotten(spendId: string, txSignature: string): HttpRefusal {
  return refuse(
    'ANSWER_NOT_FOUND',
    { spend_id: spendId, tx_signature: txSignature },
    { headers: { 'x-tx-signature': txSignature } },
  );
}

function notDelivered(
  spendId: string,
  txSignature: string | null,
  willTryAgain: boolean,
): HttpRefusal {
  const remedy = willTryAgain
    ? 'the call is paid and is repeated with the same proof: check GET /v1/spend/{spend_id}'
    : 'it is paid: claim a refund from the service with the signature';
  const fields = { spend_id: spendId, remedy };
  if (txSignature === null) return refuse('SERVICE_DID_NOT_DELIVER', fields);
  return refuse(
    'SERVICE_DID_NOT_DELIVER',
    { ...fields, tx_signature: txSignature },
    { headers: { 'x-tx-signature': txSignature } },
  );
}
