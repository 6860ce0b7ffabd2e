import type { Fetch } from '../../http/http-client.ts';
import type { TimeLimit } from '../../http/time-limit.ts';
import type { SpendSettings } from '../agent-api.ts';

/** One call of the `fetch` that pays. */
export type PaidRequest = {
  readonly url: URL;
  readonly init: RequestInit;
  /** The highest price, in base units. */
  readonly maxAmount: bigint;
  readonly settings: SpendSettings & { readonly idempotencyKey: string };
};

const NULL_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * Sends the request to the service, with the header of a payment if there is one. The time limit
 * ends with the head of the response: its body may be a stream.
 */
export async function sendTo(
  { fetch }: { readonly fetch: Fetch },
  { url, init }: Pick<PaidRequest, 'url' | 'init'>,
  limit: TimeLimit,
  payment: Readonly<Record<string, string>>,
): Promise<Response> {
  const headers = new Headers(init.headers);
  for (const [name, value] of Object.entries(payment)) headers.set(name, value);
  // A redirect would carry the payment to another URL.
  const redirect = Object.keys(payment).length === 0 ? {} : { redirect: 'manual' as const };
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

/** A response with this body; a status without a body has none. */
export const responseOf = (
  body: ConstructorParameters<typeof Response>[0],
  init: { readonly status: number; readonly statusText?: string; readonly headers: Headers },
): Response => new Response(NULL_BODY.has(init.status) ? null : body, init);

/**
 * The service's response, with the headers that a service of the catalog's has as well. `signature`
 * is null while the chain does not show the payment.
 */
export function withPayment(
  response: Response,
  { signature, spendId }: { readonly signature: string | null; readonly spendId: string },
): Response {
  const headers = new Headers(response.headers);
  headers.delete('x-tx-signature');
  if (signature !== null) headers.set('x-tx-signature', signature);
  headers.set('x-spend-id', spendId);
  const { status, statusText } = response;
  return responseOf(response.body, { status, statusText, headers });
}
