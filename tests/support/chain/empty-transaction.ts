import type { ChainTransaction } from '@agent-wallet/chain';

/** A successful chain transaction in which nothing happened. */
export const emptyTransactionAt = (slot: bigint): ChainTransaction => ({
  slot,
  blockTime: null,
  err: null,
  logs: [],
  signatures: [],
  accountKeys: [],
  instructionPrograms: [],
  innerInstructions: [],
  tokenChanges: [],
});
