import { AgentWalletError } from '../../http/agent-wallet-error.ts';

/** The first difference between a transaction and what was asked. Nothing has been signed. */
export function mismatch(place: string, difference: string): AgentWalletError {
  return new AgentWalletError({
    code: 'TRANSACTION_MISMATCH',
    error: `the transaction is not what was asked for: ${place} ${difference}`,
    remedy: 'do not sign it; the API or something on the way to it is not to be trusted',
    detail: place,
  });
}
