import { AgentWalletError, errorOfRefusal } from './agent-wallet-error.ts';
import { pauseBeforeNextTry, type TryResult } from './next-try.ts';
import { refusalReply, type Refusal } from './refusal.ts';
import type { Clock, TimeLimit } from './time-limit.ts';

export type Fetch = (input: string | URL, init?: RequestInit) => Promise<Response>;

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

type HttpRequest = {
  readonly method: Method;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly idempotencyKey: string | null;
  /** Whether the reply may be a service's own, which is returned whatever its status. */
  readonly passesOn: boolean;
};

export type HttpReply = {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array<ArrayBuffer>;
};

/**
 * Sends a request, again where that can help, and returns its successful reply. Throws an
 * `AgentWalletError` for a refusal and where no usable reply comes, and the signal's reason when the
 * caller aborts.
 */
export type SendRequest = (request: HttpRequest, limit: TimeLimit) => Promise<HttpReply>;

/** Above the longest time (60 s) that the API waits for an outcome. */
const TRY_TIMEOUT_MS = 75_000;

/** One client of the API at `url`, whose requests all carry `headers`. */
export function createHttpClient(deps: {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: Fetch;
  readonly clock: Clock;
}): SendRequest {
  const base = deps.url.replace(/\/+$/, '');

  async function sendOnce(request: HttpRequest, limit: TimeLimit): Promise<Sent> {
    const { method, path, headers, body, idempotencyKey } = request;
    const timeoutMs = Math.max(1, Math.min(TRY_TIMEOUT_MS, limit.remainingMs()));
    // Outside the try: a header that cannot be sent is no failure of the network.
    const allHeaders = new Headers({
      ...headers,
      ...deps.headers,
      ...(body === null ? {} : { 'content-type': 'application/json' }),
      ...(idempotencyKey === null ? {} : { 'idempotency-key': idempotencyKey }),
    });
    try {
      const response = await deps.fetch(`${base}${path}`, {
        method,
        headers: allHeaders,
        body,
        signal: AbortSignal.any([
          AbortSignal.timeout(Math.ceil(timeoutMs)),
          ...(limit.signal === undefined ? [] : [limit.signal]),
        ]),
      });
      const bytes = new Uint8Array(await response.arrayBuffer());
      return readReply({ status: response.status, headers: response.headers, bytes }, request);
    } catch (cause) {
      limit.signal?.throwIfAborted();
      return { reply: null, cause, result: { kind: 'failed' } };
    }
  }

  return async (request, limit) => {
    const earlier: TryResult[] = [];
    for (;;) {
      limit.signal?.throwIfAborted();
      const sent = await sendOnce(request, limit);
      if (sent.isSuccess === true) return sent.reply;
      const pauseMs = pauseBeforeNextTry(sent.result, earlier);
      if (pauseMs === null || pauseMs >= limit.remainingMs()) throw errorOf(sent, request);
      earlier.push(sent.result);
      await deps.clock.sleep(pauseMs, limit.signal);
    }
  };
}

type Sent =
  | { readonly isSuccess: true; readonly reply: HttpReply }
  | {
      readonly isSuccess?: never;
      readonly reply: HttpReply | null;
      readonly cause?: unknown;
      readonly result: TryResult;
    };

/** A service's own reply has `x-spend-id` if it was paid, and always the API's request id. */
function readReply(reply: HttpReply, { passesOn }: HttpRequest): Sent {
  const { status, headers, bytes } = reply;
  if (status < 400 || (passesOn && headers.has('x-spend-id'))) return { isSuccess: true, reply };
  const refusal = refusalIn(bytes);
  if (passesOn && refusal === null && headers.has('x-request-id')) {
    return { isSuccess: true, reply };
  }
  const isColdStart = refusal === null && (status === 502 || status === 503);
  const retryAfterMs = retryAfterIn(headers);
  return { reply, result: { kind: 'replied', status, refusal, isColdStart, retryAfterMs } };
}

function refusalIn(bytes: Uint8Array): Refusal | null {
  const read = refusalReply.safeParse(parseJson(bytes));
  return read.success ? read.data : null;
}

/** The value of a JSON text; undefined when it is not one. */
export function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}

/** The API sends seconds; proxies may send a date, which counts as absent. */
function retryAfterIn(headers: Headers): number | null {
  const text = headers.get('retry-after');
  return text !== null && /^[0-9]{1,9}$/.test(text) ? Number(text) * 1_000 : null;
}

function errorOf(sent: Exclude<Sent, { isSuccess: true }>, request: HttpRequest): AgentWalletError {
  const { idempotencyKey } = request;
  const { result, cause } = sent;
  if (result.kind === 'replied' && result.refusal !== null) {
    return errorOfRefusal(result.status, result.refusal, idempotencyKey);
  }
  return noReply(result.kind === 'replied' ? result.status : null, {
    error:
      result.kind === 'replied'
        ? `${request.method} ${request.path} got a reply ${result.status} that is not the API's`
        : `${request.method} ${request.path} got no reply`,
    idempotencyKey,
    cause,
  });
}

/** A reply that is missing or cannot be read: whether a request took effect is unknown. */
export function noReply(
  status: number | null,
  fields: {
    readonly error: string;
    readonly idempotencyKey: string | null;
    readonly cause?: unknown;
  },
): AgentWalletError {
  const { idempotencyKey } = fields;
  return new AgentWalletError({
    code: 'NO_REPLY',
    retryable: true,
    ...(status === null ? {} : { status }),
    ...(idempotencyKey === null
      ? {}
      : { remedy: 'repeat the call with the same idempotencyKey: it does not pay twice' }),
    ...fields,
  });
}
