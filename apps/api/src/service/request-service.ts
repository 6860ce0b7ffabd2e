import type { NewDelivery, Service } from '@agent-wallet/spend';
import type { Agent } from '@agent-wallet/wallet';
import type { Egress } from '../egress/egress.ts';
import type { PlainHeaders } from '../egress/headers.ts';
import type { Offer, Wanted } from '../x402/offer.ts';
import {
  acceptAsk,
  type Ask,
  type NotAccepted,
  type OutsideTimeWindow,
  refuseOutsideWindow,
} from '../spend/accept-ask.ts';
import { denyRequest } from '../spend/deny-request.ts';
import { findReplay } from '../spend/find-replay.ts';
import type { SpendDeps } from '../spend/request-spend.ts';
import type { Wait } from '../spend/spend-headers.ts';
import type { Deliverer } from './deliverer.ts';
import { findService } from './find-service.ts';
import { type Followed, followPayment } from './follow-payment.ts';
import { type Answered, type ProbeRefusal, probeService, wantedOf } from './probe-service.ts';
import { composeRequest, type ServiceRequest } from './service-request.ts';

/** A call of a service of the catalogue as an agent asks for it. Amounts in base units. */
export type ServiceAsk = Wait &
  Pick<Ask, 'agent' | 'idempotencyKey' | 'digest' | 'onAccepted'> & {
    readonly slug: string;
    /** Below the entry's URL; null: that URL itself. */
    readonly path: string | null;
    readonly headers: PlainHeaders;
    readonly body: Buffer | null;
    /** The most that the agent would pay. */
    readonly maxAmount: bigint;
  };

/** How it ended, as far as this request waited. */
export type ServiceResult =
  | NotAccepted
  | OutsideTimeWindow
  | ProbeRefusal
  | { readonly kind: 'not_in_catalog' }
  | { readonly kind: 'malformed'; readonly text: string }
  | { readonly kind: 'quoted_over_max'; readonly quoted: bigint; readonly maxAmount: bigint }
  | { readonly kind: 'recipient_not_allowed'; readonly detail: string }
  | { readonly kind: 'passed_through'; readonly answer: Answered }
  | ({ readonly kind: 'followed' } & Followed);

export type RequestService = (ask: ServiceAsk) => Promise<ServiceResult>;

type Deps = SpendDeps & {
  readonly egress: Egress;
  readonly deliverer: Deliverer;
  /** How challenges call our chain and token. */
  readonly payable: Pick<Wanted, 'network' | 'asset'>;
  readonly onProbed: (outcome: 'quoted' | 'passed_through' | ProbeRefusal['kind']) => void;
};

/**
 * From an authenticated, well-formed call of a service to an answer: replay, time window,
 * catalogue, probe, price, recipient, liquidity, acceptance with the delivery, payment, delivery.
 * The first rule that fails is the answer. Throws RPC_UNAVAILABLE before acceptance.
 */
export function createRequestService(deps: Deps): RequestService {
  const { db } = deps;
  return async (ask) => {
    const replay = await findReplay(db, ask);
    if (replay === 'key_reused') return { kind: 'key_reused' };
    if (replay !== null) return follow(deps, ask, replay);

    const service = await findService(db, ask.slug);
    const composed = service === null ? null : composeRequest(service, ask);
    const asked = wishOf(ask, service, composed?.ok === true ? composed.request : null);
    const outside = await refuseOutsideWindow(deps, asked);
    if (outside !== null) return outside;
    if (service === null || composed === null) return { kind: 'not_in_catalog' };
    if (!composed.ok) return { kind: 'malformed', text: composed.text };

    const { request } = composed;
    const most = ask.maxAmount < service.maxPrice ? ask.maxAmount : service.maxPrice;
    const probe = await probeService(deps.egress, request, wantedOf(service, deps.payable, most));
    deps.onProbed(probe.kind);
    if (probe.kind !== 'quoted') {
      const reason = REASONS[probe.kind];
      if (probe.kind !== 'passed_through' && reason !== null) {
        await denyRequest(db, asked, reason, probe.why);
      }
      return probe;
    }
    const { offer, resource } = probe;
    const quoted = { ...asked, amount: offer.amount };
    if (offer.amount > most) {
      await denyRequest(db, quoted, 'QUOTED_OVER_MAX', `at most ${most}`);
      return { kind: 'quoted_over_max', quoted: offer.amount, maxAmount: most };
    }
    const refused = await refuseRecipient(deps, quoted, ask.agent, offer.payTo);
    if (refused !== null) return refused;

    const delivery = deliveryOf(service, request, offer, resource);
    const outcome = await acceptAsk(deps, {
      ...quoted,
      delivery,
      ...(offer.feePayer === null
        ? {}
        : { facilitator: { feePayer: offer.feePayer, memo: offer.memo } }),
    });
    if (outcome.kind !== 'accepted') return outcome;
    return follow(deps, ask, outcome.spend);
  };
}

/** Reasons of the deny rows; a service that cannot be understood has decided nothing. */
const REASONS = {
  probe_failed: null,
  passed_through: null,
  mismatch: 'CHALLENGE_MISMATCH',
  unsupported: 'UNSUPPORTED_BY_SERVICE',
} as const;

async function follow(
  deps: Deps,
  ask: ServiceAsk,
  spend: Followed['spend'],
): Promise<ServiceResult> {
  return { kind: 'followed', ...(await followPayment(deps, ask, spend)) };
}

/** The ask for the log and for acceptance; until a price is known, the most it may cost. */
function wishOf(ask: ServiceAsk, service: Service | null, request: ServiceRequest | null): Ask {
  const { agent, idempotencyKey, digest, onAccepted } = ask;
  return {
    agent,
    idempotencyKey,
    digest,
    onAccepted,
    kind: 'pay_service',
    amount: ask.maxAmount,
    recipient: service?.payTo ?? null,
    url: request?.url ?? service?.baseUrl ?? null,
  };
}

/**
 * The list on chain would refuse it all the same; refused here nothing is queued. A session that is
 * not on chain is for the chain to tell.
 */
async function refuseRecipient(
  deps: Deps,
  ask: Ask,
  agent: Agent,
  recipient: string,
): Promise<ServiceResult | null> {
  const facts = await deps.chain.readWallet(agent, [agent.sessionPda]);
  const session = facts.sessions[0] ?? null;
  if (session === null || session.recipients.includes(recipient)) return null;
  const detail = "RecipientNotAllowed: the service's payee is not in the session's list";
  await denyRequest(deps.db, ask, 'RecipientNotAllowed', detail);
  return { kind: 'recipient_not_allowed', detail };
}

function deliveryOf(
  service: Service,
  request: ServiceRequest,
  offer: Offer,
  resource: string | null,
): NewDelivery {
  const { slug, proof } = service;
  return { ...request, slug, proof, requirement: offer.verbatim, resource };
}
