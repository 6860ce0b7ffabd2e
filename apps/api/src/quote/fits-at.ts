import { fitsAt, opensAt } from '@agent-wallet/policy';
import { isYield } from '@agent-wallet/spend';
import { toTimeWindow } from '@agent-wallet/wallet';
import type { HttpRefusal } from '../http/http-refusal.ts';
import { withPending } from './judge-on-chain.ts';
import type { QuotedSpend, QuoteFacts } from './quote-facts.ts';

/** Refusals that end with time alone. */
const OF_TIME = new Set(['OUTSIDE_TIME_WINDOW', 'DailyCapExceeded']);
/** Bounds the alternation between window and cap: more rounds than days in the search horizon. */
const ROUNDS = 32;

/**
 * Unix seconds from which the spend would pass if nothing else is spent or changed until then; null
 * when waiting does not help, or the session ends first. Alternates window and cap until both pass.
 */
export function fitsAtSeconds(
  facts: QuoteFacts,
  spend: QuotedSpend,
  refusals: readonly HttpRefusal[],
): number | null {
  const { session } = facts;
  if (session === null || !refusals.every(({ body }) => OF_TIME.has(body.code))) return null;
  const now = Math.floor(facts.nowMs / 1000);
  if (refusals.length === 0) return now;
  const window = toTimeWindow(facts.policy.time_window);
  const counting = withPending(session, facts.reserved.session, BigInt(now));
  const isCapped = !isYield(spend.kind);
  let atSeconds = now;
  for (let round = 0; round < ROUNDS; round += 1) {
    const opens = opensAt(window, atSeconds * 1000);
    if (opens === null) return null;
    const opensSeconds = BigInt(Math.ceil(opens / 1000));
    const fits = isCapped
      ? fitsAt(counting.window, opensSeconds, spend.amount, session.dailyCap)
      : opensSeconds;
    if (fits === null || fits > session.expiry) return null;
    if (Number(fits) === atSeconds) return atSeconds;
    atSeconds = Number(fits);
  }
  return null;
}
