import {
  BackendTerminatedError,
  BackendTerminatedUnexpectedlyError,
  ConnectionError,
  IdleTransactionTimeoutError,
  StatementTimeoutError,
} from 'slonik';

/** Why a call ended: the database let it wait for longer than its time limit. */
export class SilenceError extends Error {
  override readonly name = 'SilenceError';
}

const LOCK_NOT_AVAILABLE = '55P03';

const RETRYABLE_SQL_STATES = new Set([
  LOCK_NOT_AVAILABLE,
  '40001', // serialization failure
  '40P01', // deadlock
  '53300', // too many connections
  '57P01', // admin shutdown
  '57P02', // crash shutdown
  '57P03', // cannot connect now
]);

const ROLLED_BACK_SQL_STATES: readonly unknown[] = [
  '40001', // serialization failure
  '40P01', // deadlock
];

/** Whether Postgres rolled the SQL transaction back because of others: it may run again. */
export function isRolledBack(error: unknown): boolean {
  return error instanceof Error && 'code' in error && ROLLED_BACK_SQL_STATES.includes(error.code);
}

/** Whether Postgres ended a wait for a lock that another SQL transaction held for too long. */
export function isLockFault(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === LOCK_NOT_AVAILABLE;
}

/**
 * Whether a call got no connection, or no response on one, within its time limit. What waits behind
 * such a call would probably wait for as long.
 */
export function isSilenceFault(error: unknown): boolean {
  return causesOf(error).some((cause) => cause instanceof SilenceError);
}

/** The SQLSTATE of an error or of one behind it; null when Postgres did not report it. */
export function sqlStateOf(error: unknown): string | null {
  // Every SQLSTATE has a digit; EPIPE, which Node reports, has none.
  return codesOf(error).find((code) => /^(?=.*\d)[0-9A-Z]{5}$/.test(code)) ?? null;
}

/** Whether an error means that the database was unavailable or busy, not that the row is wrong. */
export function isDatabaseFault(error: unknown): boolean {
  if (
    error instanceof BackendTerminatedError ||
    error instanceof BackendTerminatedUnexpectedlyError ||
    error instanceof ConnectionError ||
    error instanceof IdleTransactionTimeoutError ||
    error instanceof StatementTimeoutError
  ) {
    return true;
  }
  return codesOf(error).some(
    (code) =>
      RETRYABLE_SQL_STATES.has(code) ||
      code.startsWith('08') ||
      /^E(CONN|PIPE|TIMEDOUT|NOTFOUND)/.test(code),
  );
}

/** The codes of an error and of those behind it. */
function codesOf(error: unknown): readonly string[] {
  return causesOf(error).flatMap((cause) => {
    const code: unknown = 'code' in cause ? cause.code : undefined;
    return typeof code === 'string' ? [code] : [];
  });
}

/** An error and those behind it, the outermost first. */
function causesOf(error: unknown): readonly Error[] {
  const causes: Error[] = [];
  for (let cause = error; cause instanceof Error && causes.length < 5; cause = cause.cause) {
    causes.push(cause);
  }
  return causes;
}
