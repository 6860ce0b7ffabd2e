import type { NewDelivery, Service } from '@agent-wallet/spend';
import type { Egress, PlainHeaders } from '@agent-wallet/egress';
import { acceptWhenLiquid } from '../spend/accept/accept-when-liquid.ts';
import { createReadFacts } from '../spend/read-facts.ts';
import type { SpendDeps } from '../spend/request-spend.ts';
import type { Refused } from '../spend/refuse/refused.ts';
import { firstRefusal, refuseOverMax } from '../spend/rules.ts';
import { asReplay, type Wait } from '../spend/spend-headers.ts';
import type { RequestFrame, SpendRequest } from '../spend/spend-request.ts';
import type { Offer, Wanted } from '../x402/offer.ts';
import type { Deliverer } from './deliverer.ts';
import { findService } from './find-service.ts';
import { type Followed, followPayment } from './follow-payment.ts';
import { type Answered, type ProbeRefusal, probeService, wantedOf } from './probe-service.ts';
import { composeRequest, type UpstreamRequest } from './upstream-request.ts';

/** A call of a catalog's service as an agent requests it. Amounts in base units. */
export type ServiceRequest = RequestFrame & {
  readonly slug: string;
  /** Below the entry's URL; null: that URL itself. */
  readonly path: string | null;
  readonly headers: PlainHeaders;
  readonly body: Buffer | null;
  /** The most that the agent would pay. */
  readonly maxAmount: bigint;
};

/** What became of the call, as far as the request waited. */
export type ServiceResult =
  | Refused
  | { readonly kind: 'passed_through'; readonly answer: Answered }
  | ({ readonly kind: 'followed' } & Followed);

export type RequestService = (request: ServiceRequest) => Promise<ServiceResult>;

type Deps = SpendDeps & {
  readonly egress: Egress;
  readonly deliverer: Deliverer;
  /** Our chain and token in the terms of a challenge. */
  readonly payable: Pick<Wanted, 'network' | 'asset'>;
  readonly onProbed: (outcome: 'quoted' | 'passed_through' | ProbeRefusal['kind']) => void;
};

/**
 * Takes an authenticated, well-formed call of a service to its outcome: replay, rules, probe,
 * price, recipient, acceptance with the delivery, payment, delivery. The first refusal is the
 * answer. Throws RPC_UNAVAILABLE before acceptance.
 */
export function createRequestService(deps: Deps): RequestService {
  const { db } = deps;
  const readFacts = createReadFacts(deps);
  return async (request) => {
    const { replay, rules } = await readFacts(request);
    if (replay === 'key_reused') return { kind: 'key_reused' };
    if (replay !== null) return follow(deps, asReplay(request), replay);

    const service = await findService(db, request.slug);
    const composed = service === null ? null : composeRequest(service, request);
    const upstream = composed?.ok === true ? composed.request : null;
    const spend = spendOf(request, service, upstream);
    const deny = (refused: Refused, denied: SpendRequest = spend): Promise<Refused> =>
      deps.denyRequest(denied, refused);

    const entry = { slug: request.slug, isEnabled: service !== null };
    const broken = firstRefusal(rules, { ...spend, entry });
    if (broken !== null) return deny(broken);
    if (service === null || composed === null) throw new Error('an enabled entry was found');
    if (!composed.ok) return deny({ kind: 'malformed', text: composed.text });

    const { maxPrice } = service;
    const maxAmount = request.maxAmount < maxPrice ? request.maxAmount : maxPrice;
    const wanted = wantedOf(service, deps.payable, maxAmount);
    const probe = await probeService(deps.egress, composed.request, wanted);
    deps.onProbed(probe.kind);
    if (probe.kind === 'passed_through') return probe;
    if (probe.kind !== 'quoted') return deny(probe);

    const { offer, resource } = probe;
    const priced = { ...spend, amount: offer.amount };
    const refused =
      refuseOverMax({ quoted: offer.amount, maxAmount }) ??
      (await refuseRecipient(deps, request, offer.payTo));
    if (refused !== null) return deny(refused, priced);

    const outcome = await acceptWhenLiquid(deps, {
      ...priced,
      delivery: deliveryOf(service, composed.request, offer, resource),
      ...(offer.feePayer === null
        ? {}
        : { facilitator: { feePayer: offer.feePayer, memo: offer.memo } }),
    });
    switch (outcome.kind) {
      case 'accepted':
        return follow(deps, request, outcome.spend);
      case 'existing':
        return follow(deps, asReplay(request), outcome.spend);
      default:
        return deny(outcome, priced);
    }
  };
}

async function follow(deps: Deps, wait: Wait, spend: Followed['spend']): Promise<ServiceResult> {
  return { kind: 'followed', ...(await followPayment(deps, wait, spend)) };
}

/** The spend behind a call; its amount is the agent's maximum until the price is known. */
function spendOf(
  request: ServiceRequest,
  service: Service | null,
  upstream: UpstreamRequest | null,
): SpendRequest {
  const { agent, idempotencyKey, digest, onAccepted, onNotAccepted } = request;
  const { waitMs, cancelUnclaimed } = request;
  return {
    agent,
    idempotencyKey,
    digest,
    onAccepted,
    onNotAccepted,
    waitMs,
    cancelUnclaimed,
    kind: 'pay_service',
    amount: request.maxAmount,
    recipient: service?.payTo ?? null,
    url: upstream?.url ?? service?.baseUrl ?? null,
  };
}

/**
 * Refuses a payee that the session's list on chain would refuse anyway; refused here, nothing is
 * queued. A session that is not on chain is left for the chain to refuse.
 */
async function refuseRecipient(
  { chain }: Pick<Deps, 'chain'>,
  { agent }: Pick<ServiceRequest, 'agent'>,
  recipient: string,
): Promise<Refused | null> {
  const facts = await chain.readWallet(agent, [agent.sessionPda]);
  const session = facts.sessions[0] ?? null;
  if (session === null || session.recipients.includes(recipient)) return null;
  const detail = "RecipientNotAllowed: the service's payee is not in the session's list";
  return { kind: 'recipient_not_allowed', detail };
}

function deliveryOf(
  service: Service,
  upstream: UpstreamRequest,
  offer: Offer,
  resource: string | null,
): NewDelivery {
  const { slug, proof } = service;
  return { ...upstream, slug, proof, requirement: offer.verbatim, resource };
}
