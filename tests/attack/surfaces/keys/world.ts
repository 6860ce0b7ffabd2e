import type { Database } from '@agent-wallet/db';
import type { Api, HttpOwner } from '../../../support/http/http-owner.ts';

/** What the attacks on keys and nonces have at hand. */
export type KeysWorld = {
  readonly api: Api;
  /** An api beside it with the limits of `STRICT`. */
  readonly strict: Api;
  readonly db: Database;
  readonly owner: HttpOwner;
  /** Allowed in the sessions; it need not exist. */
  readonly recipient: string;
};

export const STRICT_BURST = 20;
export const STRICT_SIGN_INS = 5;
export const STRICT = {
  RATE_PER_SECOND: '1',
  RATE_BURST: String(STRICT_BURST),
  SIGN_IN_PER_MINUTE: String(STRICT_SIGN_INS),
};
