import type { CreateSessionBody } from '@agent-wallet/contract';

/** The limits of a new session as rows and transactions have them. */
export function limitsOf(body: CreateSessionBody) {
  return {
    maxPerTx: body.max_per_tx,
    dailyCap: body.daily_cap,
    expiry: BigInt(body.expiry),
    allowedInstructions: body.allowed_instructions,
  };
}
