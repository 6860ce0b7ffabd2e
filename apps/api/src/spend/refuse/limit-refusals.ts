import type { Agent } from '@agent-wallet/wallet';
import { createRateLimiter } from '../../auth/rate-limiter.ts';
import type { Refused } from './refused.ts';

/** How many refusals a session, and all sessions of a wallet together, may cause in an hour. */
export type RefusalLimits = { readonly session: number; readonly wallet: number };

/** Counts a refusal with this reason. Above a limit, returns the refusal to send instead; else null. */
export type LimitRefusals = (
  agent: Pick<Agent, 'sessionId' | 'walletId'>,
  reason: string,
) => Refused | null;

const SECONDS_PER_HOUR = 3_600;

/**
 * Bounds the rows that refused requests write: each one a deny row in the wallet's audit log, and
 * with a predicted refusal a spend and an attempt as well. An hour's allowance may be used at once.
 * Each process counts separately.
 */
export function createLimitRefusals(limits: RefusalLimits, nowMs: () => number): LimitRefusals {
  const perHour = (count: number) =>
    createRateLimiter({ perSecond: count / SECONDS_PER_HOUR, burst: count, nowMs });
  const ofSession = perHour(limits.session);
  const ofWallet = perHour(limits.wallet);
  return ({ sessionId, walletId }, reason) => {
    const retryAfterSeconds = ofSession(sessionId) ?? ofWallet(walletId);
    return retryAfterSeconds === null
      ? null
      : { kind: 'too_many_refusals', reason, retryAfterSeconds };
  };
}
