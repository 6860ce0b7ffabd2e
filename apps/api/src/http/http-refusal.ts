import {
  errorRowOf,
  refusal,
  type RefusalBody,
  type RefusalFields,
  type RefusalName,
} from '@agent-wallet/contract';

/** The response schemas of every route's refusals. */
export const REFUSALS = { '4xx': refusal, '5xx': refusal };

type Headers = Readonly<Record<string, string>>;

/** An answer that is not a success, thrown to the one place that sends it. */
export class HttpRefusal extends Error {
  readonly status: number;
  readonly body: RefusalBody;
  readonly headers: Headers;

  constructor(status: number, body: RefusalBody, headers: Headers, options?: ErrorOptions) {
    super(body.error, options);
    this.name = 'HttpRefusal';
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

type Options = {
  readonly headers?: Headers;
  /** The fault behind the refusal, for the log and never for the caller. */
  readonly cause?: unknown;
};

/** Fields may be left out where the row of the error table leaves none open. */
type Arguments<Name extends RefusalName> =
  Partial<RefusalFields<Name>> extends RefusalFields<Name>
    ? [fields?: RefusalFields<Name>, options?: Options]
    : [fields: RefusalFields<Name>, options?: Options];

/**
 * A refusal from its row in the error table: status, text, code, layer, `retryable`, detail and
 * remedy come from there, unless `fields` sets them. Temporary refusals say when to retry: after
 * one second, unless `options.headers` says otherwise.
 */
export function refuse<Name extends RefusalName>(
  name: Name,
  ...[fields, options = {}]: Arguments<Name>
): HttpRefusal {
  const { status, error, layer = 'off-chain', retryable, detail, remedy } = errorRowOf(name);
  const body = {
    error,
    code: name,
    layer,
    retryable: retryable ?? false,
    ...(detail === undefined ? {} : { detail }),
    ...(remedy === undefined ? {} : { remedy }),
    ...fields,
  };
  const isTemporary = body.retryable && (status === 429 || status === 503);
  const headers = { ...(isTemporary ? { 'retry-after': '1' } : {}), ...options.headers };
  const { cause } = options;
  return new HttpRefusal(status, body, headers, cause === undefined ? undefined : { cause });
}

/** 400. `text` begins with the name of the field. */
export const badRequest = (text: string): HttpRefusal => refuse('BAD_REQUEST', { error: text });

/** 429. */
export const rateLimited = (retryAfterSeconds: number): HttpRefusal =>
  refuse('RATE_LIMITED', {}, { headers: { 'retry-after': String(retryAfterSeconds) } });
