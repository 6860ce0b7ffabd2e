import { isDatabaseFault, sqlStateOf } from '@agent-wallet/db';
import { isAppError } from '@agent-wallet/errors';

/** A fault that kept a request from being accepted; `cause` is a label of the metric. */
export type AcceptanceFault = { readonly cause: string; readonly sqlState: string | null };

const CAUSES: Readonly<Record<string, string>> = {
  '55P03': 'lock_timeout',
  '57014': 'statement_timeout',
  '40001': 'rolled_back',
  '40P01': 'rolled_back',
};

/** Describes a fault without its text, which can name values of the request. */
export function describeAcceptanceFault(error: unknown): AcceptanceFault {
  if (isAppError(error)) return { cause: error.code.toLowerCase(), sqlState: null };
  const fault = error instanceof Error && error.cause !== undefined ? error.cause : error;
  const sqlState = sqlStateOf(error);
  const cause = CAUSES[sqlState ?? ''] ?? (isDatabaseFault(fault) ? 'connection_lost' : 'other');
  return { cause, sqlState };
}
