import { isAgentWalletError } from '../../http/agent-wallet-error.ts';
import type { Fetch, HttpReply } from '../../http/http-client.ts';
import type { Clock, TimeLimit } from '../../http/time-limit.ts';
import { type AgentApi, pendingIn, type SpendSettings } from '../agent-api.ts';
import { AGENT_CALLS, CONFIG_CALL } from '../calls.ts';
import type { Service } from '../replies.ts';
import { stillPending, type WaitFor } from '../wait-for.ts';
import { type CatalogCall, findCatalogCall } from './catalog-call.ts';
import { judgeChallenge, LARGEST_CHALLENGE, type Money, moneyOf } from './offer.ts';
import { type HandedOut, showTransaction, signForOffer } from './pay-by-facilitator.ts';
import { payForProof, type Proof, showProof } from './pay-with-proof.ts';
import { notPayable, overMax } from './payment-errors.ts';
import { readText } from './read-text.ts';
import { type PaidRequest, responseOf, sendTo } from './send-to.ts';

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
  readonly waitFor: WaitFor;
};

/** What a service gets to see: a proof of the payment, or a transaction that it has sent. */
export type Payment = Proof | HandedOut;

const CATALOG_AGE_MS = 60_000;
const PENDING_PAUSE_MS = 1_000;
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
      ? payDirectly(deps, request, limit)
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

/** Calls a service that is not in the catalog, and pays what its 402 demands. */
async function payDirectly(
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
  const challenge = { headers: response.headers, text, money };
  const payment = await payChallenge(deps, request, challenge, limit);
  switch (payment.kind) {
    case 'proof':
      return showProof(deps, request, limit, payment);
    case 'transaction':
      return showTransaction(deps, request, limit, payment);
  }
}

/** The network and the token of the wallet, by the API. */
export const readMoney = async (api: AgentApi, limit: TimeLimit): Promise<Money> =>
  moneyOf(await api.read(CONFIG_CALL, {}, limit));

/**
 * Pays the 402 of a service, or has the transaction for it signed, once. Throws `NOT_PAYABLE` and
 * `QUOTED_OVER_MAX` before money moves.
 */
export async function payChallenge(
  deps: Pick<PayingFetchDeps, 'api' | 'clock' | 'waitFor'>,
  request: Pick<PaidRequest, 'url' | 'maxAmount' | 'settings'>,
  challenge: { readonly headers: Headers; readonly text: string; readonly money: Money },
  limit: TimeLimit,
): Promise<Payment> {
  const judged = judgeChallenge(challenge.headers, challenge.text, challenge.money);
  if (judged.kind === 'none') throw notPayable(request.url, judged.why);
  const { offer } = judged;
  if (offer.amount > request.maxAmount) throw overMax(offer, request.maxAmount);
  switch (offer.kind) {
    case 'proof':
      return payForProof(deps, request, offer, limit);
    case 'standard':
      return signForOffer(deps, request, offer, limit);
  }
}

const asResponse = ({ status, headers, bytes }: HttpReply): Response =>
  responseOf(bytes, { status, headers });
