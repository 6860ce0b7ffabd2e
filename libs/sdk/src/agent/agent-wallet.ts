import type { QuoteBody } from '@agent-wallet/contract';
import { createHttpClient, type Fetch } from '../http/http-client.ts';
import { readPages } from '../http/pages.ts';
import { badRequest, readUrl } from '../http/read-url.ts';
import { type Clock, startTimeLimit, type TimeLimit } from '../http/time-limit.ts';
import {
  type AgentApi,
  createAgentApi,
  newIdempotencyKey,
  type SpendSettings,
} from './agent-api.ts';
import { AGENT_CALLS } from './calls.ts';
import type { CatalogCall } from './paying-fetch/catalog-call.ts';
import {
  createPayingFetch,
  payChallenge,
  payFromCatalog,
  type PayingFetchInit,
  readMoney,
} from './paying-fetch/paying-fetch.ts';
import type {
  ConfirmedSpend,
  Deposit,
  Limits,
  ListedSpend,
  Pending,
  Position,
  Quote,
  Service,
  SignedPayment,
  Spend,
  Transfer,
  Withdrawal,
} from './replies.ts';
import { waitForSpend } from './wait-for.ts';

export type AgentWalletOptions = {
  /** Base URL of the API. */
  readonly url: string;
  /** The key that the owner's page shows once: `svc_dev_…` or `svc_prod_…`. */
  readonly apiKey: string;
  /** The default of `maxAmount` for `fetch`, in base units. */
  readonly maxAmount?: bigint;
  /** Time limit of one call with all its retries; 120 s by default, 300 s for `waitFor`. */
  readonly timeoutMs?: number;
  /** Replaces the `fetch` of the platform. */
  readonly fetch?: Fetch;
};

export type CallOptions = {
  readonly signal?: AbortSignal | undefined;
  /** Time limit of this call with all its retries. */
  readonly timeoutMs?: number | undefined;
};

export type SpendOptions = CallOptions & SpendSettings;

/** Which spends to list: accepted at `from` or later, and before `to`. */
export type SpendFilter = {
  readonly status?: ListedSpend['status'] | undefined;
  readonly kind?: ListedSpend['kind'] | undefined;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
};

/** A paid 402. */
export type PaidChallenge = {
  /** What the request to the service needs: `X-Payment-Proof` or `PAYMENT-SIGNATURE`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly spend_id: string;
  /** Null where the service's facilitator sends the transaction: `waitFor` returns it. */
  readonly tx_signature: string | null;
};

/**
 * What an agent does with its key. Amounts are base units of USDC, as bigint.
 *
 * Every method throws an `AgentWalletError` for a refusal, and the signal's reason when it is
 * aborted. A call that moves money has one idempotency key for all its retries; it returns a value
 * with `status: 'pending'` when the outcome is not known in time.
 */
export type AgentWallet = {
  /** The balance of the vault. Works for every key: a good first call. */
  position(options?: CallOptions): Promise<Position>;
  /** The limits of the key's session now. */
  limits(options?: CallOptions): Promise<Limits>;
  /** The services that can be paid by slug. */
  services(options?: CallOptions): Promise<readonly Service[]>;
  /** What would become of a spend now; moves nothing. */
  quote(spend: QuoteBody, options?: CallOptions): Promise<Quote>;
  /** Pays a recipient of the session's list. */
  transfer(
    payment: { readonly recipient: string; readonly amount: bigint },
    options?: SpendOptions,
  ): Promise<Transfer | Pending>;
  /**
   * Pays for a call of `url` that the agent makes itself, with the proof. With `facilitator`, from an
   * offer's `extra`, nothing is sent: the pending value has the `transaction` for the service, and
   * its money stays reserved until it has landed or expired.
   */
  signPayment(
    payment: {
      readonly url: string;
      readonly recipient: string;
      readonly amount: bigint;
      readonly facilitator?: { readonly fee_payer: string; readonly memo?: string };
    },
    options?: SpendOptions,
  ): Promise<SignedPayment | Pending>;
  /**
   * Pays the payment terms of a 402, up to `maxAmount` base units, for a request of `url` that the
   * agent repeats itself, once, with the headers: with `X-Payment-Proof`, or for a standard x402
   * offer with a signed transaction that the service's facilitator sends. `challenge` is the object that
   * the service sent, in its body or in `PAYMENT-REQUIRED`. Throws `NOT_PAYABLE` and
   * `QUOTED_OVER_MAX` before money moves. Each call pays, unless it has the idempotency key of an
   * earlier one.
   */
  payChallenge(
    payment: { readonly url: string; readonly challenge: object; readonly maxAmount?: bigint },
    options?: SpendOptions,
  ): Promise<PaidChallenge>;
  /**
   * Calls a service of the catalog by its slug, and pays up to `max_amount` base units. Returns the
   * response of the service; a paid one has the headers `x-tx-signature` and `x-spend-id`. Sends
   * nothing to any other address than the API.
   */
  payService(
    call: CatalogCall & { readonly max_amount: bigint },
    options?: SpendOptions,
  ): Promise<Response>;
  /** Moves liquid USDC to the yield reserve. */
  deposit(
    movement: { readonly amount: bigint },
    options?: SpendOptions,
  ): Promise<Deposit | Pending>;
  /** Moves deployed USDC back to the vault. */
  withdraw(
    movement: { readonly amount: bigint },
    options?: SpendOptions,
  ): Promise<Withdrawal | Pending>;
  /** A spend of this session and its outcome. Throws `SPEND_NOT_FOUND`. */
  spend(id: string, options?: CallOptions): Promise<Spend>;
  /** The spends of this session, newest first, pending ones too; read page by page. */
  spends(filter?: SpendFilter, options?: CallOptions): AsyncIterable<ListedSpend>;
  /**
   * Waits until a spend is confirmed. Throws the error of its refusal if it is rejected, and
   * `PENDING` when the time limit ends first.
   */
  waitFor(
    spend: string | { readonly spend_id: string },
    options?: CallOptions,
  ): Promise<ConfirmedSpend>;
  /**
   * Like the platform's `fetch`, and pays up to `maxAmount` where the service requires it: a service
   * of the catalog through the API; another one by `signPayment`, for which its URL must be in the
   * owner's allowlist, with `X-Payment-Proof` or in standard x402. A paid response has the header
   * `x-spend-id`, and `x-tx-signature` once the chain shows the payment.
   *
   * Throws before money moves: `NOT_PAYABLE` for every other 402, and `QUOTED_OVER_MAX`. Throws
   * `PAYMENT_REFUSED` for a service that answers a signed transaction with another 402.
   */
  fetch(url: string | URL, init?: PayingFetchInit): Promise<Response>;
};

const PAGE_SIZE = '200';
const TIMEOUT_MS = 120_000;
/** Above the age (180 s) after which the service does not sign a spend again. */
const WAIT_TIMEOUT_MS = 300_000;

/** The client of one API key, on a given clock. Sends nothing by itself. */
export function createAgentWalletOn(clock: Clock, options: AgentWalletOptions): AgentWallet {
  const { apiKey, fetch = (input, init) => globalThis.fetch(input, init) } = options;
  const url = readUrl(options.url, 'url').href;
  const headers = { authorization: `Bearer ${apiKey}` };
  const api = createAgentApi(createHttpClient({ url, headers, fetch, clock }));
  const limitOf = (
    given: {
      readonly timeoutMs?: number | undefined;
      readonly signal?: AbortSignal | null | undefined;
    },
    defaultMs = TIMEOUT_MS,
  ): TimeLimit =>
    startTimeLimit(clock, given.timeoutMs ?? options.timeoutMs ?? defaultMs, given.signal);
  const waitFor = (
    spend: { readonly spendId: string; readonly idempotencyKey: string | null },
    limit: TimeLimit,
  ): Promise<ConfirmedSpend> =>
    waitForSpend(spend, {
      readSpend: (id) => api.read(AGENT_CALLS.spend, { id }, limit),
      clock,
      limit,
    });
  const payingFetch = createPayingFetch({ api, fetch, clock, waitFor });
  return {
    position: async (given = {}) => api.read(AGENT_CALLS.position, {}, limitOf(given)),
    limits: async (given = {}) => api.read(AGENT_CALLS.limits, {}, limitOf(given)),
    services: async (given = {}) =>
      (await api.read(AGENT_CALLS.services, {}, limitOf(given))).items,
    quote: async (body, given = {}) => api.read(AGENT_CALLS.quote, { body }, limitOf(given)),
    transfer: async (body, given = {}) =>
      api.spend(AGENT_CALLS.transfer, { ...given, body }, limitOf(given)),
    signPayment: async (body, given = {}) =>
      api.spend(AGENT_CALLS.signPayment, { ...given, body }, limitOf(given)),
    payChallenge: async ({ url: target, challenge, maxAmount = options.maxAmount }, given = {}) => {
      if (maxAmount === undefined) throw badRequest('maxAmount must be given');
      const { idempotencyKey = newIdempotencyKey(), waitSeconds } = given;
      const settings = { idempotencyKey, waitSeconds };
      const request = { url: readUrl(target, 'url'), maxAmount, settings };
      const limit = limitOf(given);
      const money = await readMoney(api, limit);
      const terms = { headers: new Headers(), text: JSON.stringify(challenge), money };
      const paid = await payChallenge({ api, clock, waitFor }, request, terms, limit);
      const { header, spendId: spend_id } = paid;
      return paid.kind === 'proof'
        ? { headers: { 'X-Payment-Proof': header }, spend_id, tx_signature: paid.signature }
        : { headers: { 'PAYMENT-SIGNATURE': header }, spend_id, tx_signature: null };
    },
    payService: async ({ max_amount: maxAmount, ...call }, given = {}) => {
      const { idempotencyKey = newIdempotencyKey(), waitSeconds } = given;
      const settings = { idempotencyKey, waitSeconds };
      return payFromCatalog(
        { api, clock },
        { init: {}, maxAmount, settings },
        call,
        limitOf(given),
      );
    },
    deposit: async (body, given = {}) =>
      api.spend(AGENT_CALLS.deposit, { ...given, body }, limitOf(given)),
    withdraw: async (body, given = {}) =>
      api.spend(AGENT_CALLS.withdraw, { ...given, body }, limitOf(given)),
    spend: async (id, given = {}) => api.read(AGENT_CALLS.spend, { id }, limitOf(given)),
    spends: (filter = {}, given = {}) => listSpends(api, filter, () => limitOf(given)),
    waitFor: async (spend, given = {}) =>
      waitFor(
        { spendId: typeof spend === 'string' ? spend : spend.spend_id, idempotencyKey: null },
        limitOf(given, WAIT_TIMEOUT_MS),
      ),
    fetch: async (target, given = {}) => {
      const {
        maxAmount = options.maxAmount,
        idempotencyKey = newIdempotencyKey(),
        waitSeconds,
        timeoutMs,
        ...init
      } = given;
      if (maxAmount === undefined) throw badRequest('maxAmount must be given');
      const request = {
        url: readUrl(String(target), 'url'),
        init,
        maxAmount,
        settings: { idempotencyKey, waitSeconds },
      };
      return payingFetch(request, limitOf({ timeoutMs, signal: init.signal }));
    },
  };
}

/** Each page has a time limit of its own. */
function listSpends(
  api: AgentApi,
  { status, kind, from, to }: SpendFilter,
  limit: () => TimeLimit,
): AsyncIterable<ListedSpend> {
  const filter = { status, kind, from: from?.toISOString(), to: to?.toISOString() };
  return readPages((cursor) =>
    api.read(AGENT_CALLS.spends, { query: { ...filter, cursor, limit: PAGE_SIZE } }, limit()),
  );
}
