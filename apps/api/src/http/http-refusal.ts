import type { RefusalBody } from '@agent-wallet/contract';
import { type ErrorCode, httpFaceOf } from '@agent-wallet/errors';
import type { UsedUp } from '@agent-wallet/spend';

/** An answer that is not a success, on its way to the one place that sends it. */
export class HttpRefusal extends Error {
  readonly status: number;
  readonly body: RefusalBody;
  readonly headers: Readonly<Record<string, string>>;

  /** `options.cause`: the fault behind the answer, for the log and never for the caller. */
  constructor(
    status: number,
    body: RefusalBody,
    headers: Readonly<Record<string, string>> = {},
    options?: ErrorOptions,
  ) {
    super(body.error, options);
    this.name = 'HttpRefusal';
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

export type Extra = Partial<Omit<RefusalBody, 'error' | 'code' | 'layer'>>;

/** A refusal made by this service, before or beside the chain. */
export function refuse(
  status: number,
  error: string,
  code: string,
  extra: Extra = {},
): HttpRefusal {
  return new HttpRefusal(status, { error, code, layer: 'off-chain', retryable: false, ...extra });
}

/** 400. `text` begins with the name of the field. */
export const badRequest = (text: string): HttpRefusal => refuse(400, text, 'BAD_REQUEST');

/** 404, also for what exists and belongs to somebody else. */
export const notFound = (resource: string): HttpRefusal =>
  refuse(404, `${resource} not found`, `${resource.toUpperCase()}_NOT_FOUND`);

/** 409. */
export const conflict = (error: string, code: string, remedy?: string): HttpRefusal =>
  refuse(409, error, code, remedy === undefined ? {} : { remedy });

/** 429. */
export function rateLimited(retryAfterSeconds: number): HttpRefusal {
  return new HttpRefusal(
    429,
    { error: 'rate limited', code: 'RATE_LIMITED', layer: 'off-chain', retryable: true },
    { 'retry-after': String(retryAfterSeconds) },
  );
}

/** 429: as many spends of the session or wallet are open as may be. */
export function tooManyPending(): HttpRefusal {
  const error = 'too many pending spends';
  return new HttpRefusal(
    429,
    {
      error,
      code: 'TOO_MANY_PENDING',
      layer: 'off-chain',
      retryable: true,
      remedy: 'wait until some of them have settled',
    },
    { 'retry-after': '1' },
  );
}

/** 429: the session has cost the fee payers as much as it may. */
export function overBudget(usedUp: UsedUp): HttpRefusal {
  const texts = {
    fees: { error: 'fee budget exceeded', code: 'FEE_BUDGET_EXCEEDED' },
    reverts: { error: 'too many reverted spends', code: 'REVERT_BUDGET_EXCEEDED' },
  } as const;
  const remedy = 'wait, or have the owner create another session';
  return new HttpRefusal(
    429,
    { ...texts[usedUp.budget], layer: 'off-chain', retryable: true, remedy },
    { 'retry-after': String(Math.max(1, usedUp.retryAfterSeconds)) },
  );
}

/** The face of a fault: it says no more than the client may know. */
export function refusalOfFault(code: ErrorCode): HttpRefusal {
  const face = httpFaceOf(code);
  return new HttpRefusal(
    face.status,
    { error: face.error, code, layer: 'off-chain', retryable: face.retryable },
    face.status === 503 ? { 'retry-after': '1' } : {},
  );
}
