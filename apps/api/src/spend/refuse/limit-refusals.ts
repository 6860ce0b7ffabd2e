import type { Agent } from '@agent-wallet/wallet';
import { createRateLimiter, type LimitStore } from '../../limits/shared-buckets.ts';
import type { Refused } from './refused.ts';

/** How many refusals a session, and all sessions of a wallet together, may cause in an hour. */
export type RefusalLimits = { readonly session: number; readonly wallet: number };

/** Counts a refusal with this reason. Above a limit, returns the refusal to send instead; else null. */
export type LimitRefusals = (
  agent: Pick<Agent, 'sessionId' | 'walletId'>,
  reason: string,
) => Promise<Refused | null>;

const SECONDS_PER_HOUR = 3_600;

/**
 * Bounds the rows that refused requests write: each one a deny row in the wallet's audit log, and
 * with a predicted refusal a spend and an attempt as well. An hour's allowance may be used at once.
 * All copies of the api count together.
 */
export function createLimitRefusals(limits: RefusalLimits, store: LimitStore): LimitRefusals {
  const perHour = (name: string, count: number) =>
    createRateLimiter({ name, perSecond: count / SECONDS_PER_HOUR, burst: count }, store);
  const ofSession = perHour('refusals of a session', limits.session);
  const ofWallet = perHour('refusals of a wallet', limits.wallet);
  return async ({ sessionId, walletId }, reason) => {
    const retryAfterSeconds = (await ofSession(sessionId)) ?? (await ofWallet(walletId));
    return retryAfterSeconds === null
      ? null
      : { kind: 'too_many_refusals', reason, retryAfterSeconds };
  };
}
