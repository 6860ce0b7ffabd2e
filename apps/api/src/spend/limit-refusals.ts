import type { Agent } from '@agent-wallet/wallet';
import { createRateLimiter } from '../auth/rate-limiter.ts';
import type { Refused } from './refused.ts';

/** How many refusals a session, and all sessions of a wallet together, may cause in an hour. */
export type RefusalLimits = { readonly session: number; readonly wallet: number };

/** Counts a refusal with that reason. Returns the refusal to answer instead when there were many. */
export type LimitRefusals = (
  agent: Pick<Agent, 'sessionId' | 'walletId'>,
  reason: string,
) => Refused | null;

const SECONDS_PER_HOUR = 3_600;

/**
 * Bounds the rows that refused requests leave behind: each is a deny row in the wallet's audit log,
 * and one that the chain is to refuse is a spend with an attempt as well. Those of an hour may come
 * at once. The counts are those of this process.
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
