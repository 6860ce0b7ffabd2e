import { AgentWalletError, isAgentWalletError } from '../../http/agent-wallet-error.ts';
import type { Fetch, HttpReply } from '../../http/http-client.ts';
import type { Clock, TimeLimit } from '../../http/time-limit.ts';
import { type AgentApi, pendingIn, type SpendSettings } from '../agent-api.ts';
import { AGENT_CALLS, CONFIG_CALL } from '../calls.ts';
import type { ConfirmedSpend, Pending, Service, SignedPayment } from '../replies.ts';
import { stillPending } from '../wait-for.ts';
import { type CatalogCall, findCatalogCall } from './catalog-call.ts';
import {
  judgeChallenge,
  LARGEST_CHALLENGE,
  type Money,
  moneyOf,
  type ProofOffer,
} from './proof-offer.ts';
import { readText } from './read-text.ts';

export type PayingFetchInit = RequestInit &
  SpendSettings & {
    /** The highest price of this request, in base units; by default that of the client. */
    readonly maxAmount?: bigint | undefined;
    /** Time limit of the whole call, payment and response. */
    readonly timeoutMs?: number | undefined;
  };

type PayingFetchDeps = {
  readonly api: AgentApi;
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly waitFor: (
    spend: { readonly spendId: string; readonly idempotencyKey: string },
    limit: TimeLimit,
  ) => Promise<ConfirmedSpend>;
};

type PaidRequest = {
  readonly url: URL;
  readonly init: RequestInit;
  readonly maxAmount: bigint;
  readonly settings: SpendSettings & { readonly idempotencyKey: string };
};

/** What shows a service that it was paid. */
export type Proof = {
  readonly spendId: string;
  readonly signature: string;
  readonly header: string;
  readonly idempotencyKey: string;
};

const CATALOG_AGE_MS = 60_000;
const PENDING_PAUSE_MS = 1_000;
const DELIVERY_PAUSES_MS = [1_000, 2_000];
/** A service that has not seen the payment yet, or is busy: the same proof may succeed. */
const NOT_YET: ReadonlySet<number> = new Set([402, 408, 425, 429]);
const NULL_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

/** Makes the `fetch` that pays. See `AgentWallet.fetch`. */
export function createPayingFetch(
  deps: PayingFetchDeps,
): (request: PaidRequest, limit: TimeLimit) => Promise<Response> {
  let catalog: { readonly readAtMs: number; readonly items: readonly Service[] } | null = null;

  async function readCatalog(limit: TimeLimit): Promise<readonly Service[]> {
    const nowMs = deps.clock.nowMs();
    if (catalog !== null && nowMs - catalog.readAtMs < CATALOG_AGE_MS) return catalog.items;
    catalog = { readAtMs: nowMs, items: await readServices(deps.api, limit) };
    return catalog.items;
  }

  return async (request, limit) => {
    const call = findCatalogCall(await readCatalog(limit), request.url, request.init);
    return call === null
      ? payWithProof(deps, request, limit)
      : payFromCatalog(deps, request, call, limit);
  };
}

/** An API without the extensions for agents lists no services. */
async function readServices(api: AgentApi, limit: TimeLimit): Promise<readonly Service[]> {
  try {
    return (await api.read(AGENT_CALLS.services, {}, limit)).items;
  } catch (error) {
    if (isAgentWalletError(error, 'ROUTE_NOT_FOUND')) return [];
    throw error;
  }
}

/**
 * Calls a service of the catalog through the API, which pays it. Under one key the API returns the
 * newest state of the call: it is repeated until it is final.
 */
export async function payFromCatalog(
  { api, clock }: Pick<PayingFetchDeps, 'api' | 'clock'>,
  { init, maxAmount, settings }: Pick<PaidRequest, 'init' | 'maxAmount' | 'settings'>,
  call: CatalogCall,
  limit: TimeLimit,
): Promise<Response> {
  const headers = Object.fromEntries(new Headers(init.headers));
  for (;;) {
    const body = { ...call, max_amount: maxAmount };
    const reply = await api.send(AGENT_CALLS.service, { ...settings, headers, body }, limit);
    const pending = reply.headers.has('x-spend-id') ? null : pendingIn(reply);
    if (pending === null) return asResponse(reply);
    if (limit.remainingMs() <= PENDING_PAUSE_MS) {
      throw stillPending(pending.spend_id, settings.idempotencyKey);
    }
    await clock.sleep(PENDING_PAUSE_MS, limit.signal);
  }
}

async function payWithProof(
  deps: PayingFetchDeps,
  request: PaidRequest,
  limit: TimeLimit,
): Promise<Response> {
  const { url, init } = request;
  if (init.body instanceof ReadableStream) {
    throw notPayable(url, 'the body is a stream, which cannot be sent a second time');
  }
  const response = await sendTo(deps, request, limit, {});
  if (response.status !== 402) return response;
  if (response.redirected) throw notPayable(url, 'it answers from another URL');
  const money = await readMoney(deps.api, limit);
  const text = await readText(response, LARGEST_CHALLENGE, limit);
  if (text === null) throw notPayable(url, 'its 402 is too long or does not end');
  const proof = await payChallenge(
    deps,
    request,
    { headers: response.headers, text, money },
    limit,
  );
  return deliver(deps, request, limit, proof);
}

/** The network and the token of the wallet, by the API. */
export const readMoney = async (api: AgentApi, limit: TimeLimit): Promise<Money> =>
  moneyOf(await api.read(CONFIG_CALL, {}, limit));

/**
 * Pays the 402 of a service that takes `X-Payment-Proof`, once. Throws `NOT_PAYABLE` and
 * `QUOTED_OVER_MAX` before money moves.
 */
export async function payChallenge(
  deps: Pick<PayingFetchDeps, 'api' | 'waitFor'>,
  { url, maxAmount, settings }: Pick<PaidRequest, 'url' | 'maxAmount' | 'settings'>,
  challenge: { readonly headers: Headers; readonly text: string; readonly money: Money },
  limit: TimeLimit,
): Promise<Proof> {
  const judged = judgeChallenge(challenge.headers, challenge.text, challenge.money);
  if (judged.kind === 'none') throw notPayable(url, judged.why);
  if (judged.offer.amount > maxAmount) throw overMax(judged.offer, maxAmount);
  const body = { url: url.href, ...judged.offer };
  const paid = await deps.api.spend(AGENT_CALLS.signPayment, { ...settings, body }, limit);
  return proofOf(deps, paid, settings.idempotencyKey, limit);
}

async function proofOf(
  { waitFor }: Pick<PayingFetchDeps, 'waitFor'>,
  paid: SignedPayment | Pending,
  idempotencyKey: string,
  limit: TimeLimit,
): Promise<Proof> {
  const { spend_id: spendId } = paid;
  if (paid.status === 'confirmed') {
    const { tx_signature: signature, payment_proof_header: header } = paid;
    return { spendId, signature, header, idempotencyKey };
  }
  const { tx_signature: signature, payment_proof_header: header } = await waitFor(
    { spendId, idempotencyKey },
    limit,
  );
  return { spendId, signature, header: header ?? signature, idempotencyKey };
}

/** Repeats the request with the proof, up to three times; it never pays again. */
async function deliver(
  deps: PayingFetchDeps,
  request: PaidRequest,
  limit: TimeLimit,
  proof: Proof,
): Promise<Response> {
  for (const pauseMs of [...DELIVERY_PAUSES_MS, null]) {
    const isLast = pauseMs === null || pauseMs >= limit.remainingMs();
    try {
      const response = await sendTo(deps, request, limit, { 'x-payment-proof': proof.header });
      const isNotYet = NOT_YET.has(response.status) || response.status >= 500;
      if (!isNotYet || isLast) return withPayment(response, proof);
      await response.body?.cancel();
    } catch (cause) {
      limit.signal?.throwIfAborted();
      if (isLast) throw notDelivered(request.url, proof, cause);
    }
    if (pauseMs !== null) await deps.clock.sleep(pauseMs, limit.signal);
  }
  throw notDelivered(request.url, proof, undefined);
}

/** The time limit ends with the head of the response: its body may be a stream. */
async function sendTo(
  { fetch }: PayingFetchDeps,
  { url, init }: PaidRequest,
  limit: TimeLimit,
  proof: Readonly<Record<string, string>>,
): Promise<Response> {
  const headers = new Headers(init.headers);
  for (const [name, value] of Object.entries(proof)) headers.set(name, value);
  // A redirect would carry the proof to another URL.
  const redirect = Object.keys(proof).length === 0 ? {} : { redirect: 'manual' as const };
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(tooLate(url)), Math.max(1, limit.remainingMs()));
  const signals = limit.signal === undefined ? [late.signal] : [late.signal, limit.signal];
  try {
    return await fetch(url, { ...init, ...redirect, headers, signal: AbortSignal.any(signals) });
  } finally {
    clearTimeout(timer);
  }
}

const tooLate = ({ origin }: URL): DOMException =>
  new DOMException(`${origin} did not respond within the time limit`, 'TimeoutError');

function asResponse({ status, headers, bytes }: HttpReply): Response {
  return new Response(NULL_BODY.has(status) ? null : bytes, { status, headers });
}

/** The service's response, with the headers that a service of the catalog's has as well. */
function withPayment(response: Response, { signature, spendId }: Proof): Response {
  const headers = new Headers(response.headers);
  headers.set('x-tx-signature', signature);
  headers.set('x-spend-id', spendId);
  const { status, statusText } = response;
  return new Response(NULL_BODY.has(status) ? null : response.body, {
    status,
    statusText,
    headers,
  });
}

function notPayable(url: URL, why: string): AgentWalletError {
  return new AgentWalletError({
    code: 'NOT_PAYABLE',
    error: `${url.origin} cannot be paid: ${why}`,
    remedy: 'no money moved; have the operator add the service to the catalog',
  });
}

function overMax({ amount }: ProofOffer, maxAmount: bigint): AgentWalletError {
  return new AgentWalletError({
    code: 'QUOTED_OVER_MAX',
    error: 'QUOTED_OVER_MAX',
    layer: 'off-chain',
    remedy: 'no money moved; raise maxAmount',
    details: { quoted: amount, max_amount: maxAmount },
  });
}

function notDelivered(url: URL, proof: Proof, cause: unknown): AgentWalletError {
  const { spendId, signature, idempotencyKey } = proof;
  return new AgentWalletError({
    code: 'SERVICE_DID_NOT_DELIVER',
    error: 'service did not deliver',
    detail: `${url.origin} was paid and did not respond`,
    remedy: 'repeat the call with the same idempotencyKey: it does not pay twice',
    details: { spend_id: spendId, tx_signature: signature },
    idempotencyKey,
    cause,
  });
}
