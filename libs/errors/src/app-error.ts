import type { ErrorCode } from './codes.ts';

/**
 * A fault: an unexpected failure, as opposed to an expected outcome of a request or a chain
 * transaction. `context` holds facts for the log line and must never hold a secret.
 */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly context: Record<string, unknown>;

  constructor(code: ErrorCode, context: Record<string, unknown> = {}, options?: ErrorOptions) {
    super(`${code}${describe(context)}`, options);
    this.name = 'AppError';
    this.code = code;
    this.context = context;
  }
}

/** Narrows `error` to an AppError, of that code when one is given. */
export function isAppError(error: unknown, code?: ErrorCode): error is AppError {
  return error instanceof AppError && (code === undefined || error.code === code);
}

function describe(context: Record<string, unknown>): string {
  const parts = Object.entries(context).map(([key, value]) => `${key}=${String(value)}`);
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}
