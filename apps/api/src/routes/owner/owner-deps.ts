import { OWNER_DEADLINE_MINUTES } from '@agent-wallet/chain';
import { ownerTransactionAnswer } from '@agent-wallet/contract';
import type { Database } from '@agent-wallet/db';
import type { KeyPrefix } from '../../auth/api-key.ts';
import type { OwnerAuth } from '../../auth/authenticate-owner.ts';
import type { ChainAccess } from '../../chain/chain-access.ts';
import type { Network } from '../../chain/network.ts';
import { REFUSALS } from '../../http/http-refusal.ts';

/** Dependencies of the routes that an owner calls with the cookie. */
export type OwnerDeps = {
  readonly db: Database;
  readonly owners: OwnerAuth;
  readonly chain: ChainAccess;
  readonly cluster: Network['cluster'];
  /** Prefix of the agents' keys, and the secret that their hashes are keyed with. */
  readonly keyPrefix: KeyPrefix;
  readonly pepper: string;
  readonly nowMs: () => number;
};

/** Part of the description of a route that returns a transaction with a deadline. */
export const DEADLINE_NOTE = `The program refuses the transaction (\`DeadlinePassed\`) ${OWNER_DEADLINE_MINUTES} minutes after the response; then request it again.`;

/** Responses of a route that returns a chain transaction for the owner to sign. */
export const TRANSACTION_RESPONSES = { 200: ownerTransactionAnswer, ...REFUSALS };
