import type { Database } from '@agent-wallet/db';
import type { Api, HttpAnswer, HttpOwner } from '../../../support/http/http-owner.ts';
import { cookieOf } from '../../../support/http/sign-in.ts';

/** The system under attack by keys and nonces. */
export type KeysWorld = {
  readonly api: Api;
  /** An api beside it with the limits of `STRICT`. */
  readonly strict: Api;
  readonly db: Database;
  readonly owner: HttpOwner;
  /** Recipient of the sessions; its account need not exist. */
  readonly recipient: string;
};

export const STRICT_BURST = 20;
export const STRICT_SIGN_INS = 5;
export const STRICT = {
  RATE_PER_SECOND: '1',
  RATE_BURST: String(STRICT_BURST),
  SIGN_IN_PER_MINUTE: String(STRICT_SIGN_INS),
};

/** Null when a sign-in was refused, else the status. */
export const openedBy = (answer: HttpAnswer): string | null =>
  (answer.status === 401 || answer.status === 400) && cookieOf(answer) === ''
    ? null
    : `answered ${answer.status}`;
