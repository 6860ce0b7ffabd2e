import { toTimeWindow } from '@agent-wallet/wallet';
import { fitsAt, opensAt } from '@agent-wallet/policy';
import type { HttpRefusal } from '../http/http-refusal.ts';
import { withPending } from './judge-on-chain.ts';
import { type QuotedAsk, type QuoteFacts } from './quote-facts.ts';

/** Refusals that pass by themselves. */
const OF_TIME = new Set(['OUTSIDE_TIME_WINDOW', 'DailyCapExceeded']);
/** Hours and cap are looked at in turns until both agree; more turns than days in sight. */
const TURNS = 32;

/**
 * Unix seconds from which the ask would pass if nothing else is spent or changed until then; null
 * when waiting does not help, or the session ends before.
 */
export function fitsAtSeconds(
  facts: QuoteFacts,
  ask: QuotedAsk,
  refusals: readonly HttpRefusal[],
): number | null {
  const { session } = facts;
  if (session === null || !refusals.every(({ body }) => OF_TIME.has(body.code))) return null;
  const now = Math.floor(facts.nowMs / 1000);
  if (refusals.length === 0) return now;
  const window = toTimeWindow(facts.policy.time_window);
  const counting = withPending(session, facts.reserved.session, BigInt(now));
  const isCapped = ask.kind !== 'yield_deposit' && ask.kind !== 'yield_withdraw';
  let atSeconds = now;
  for (let turn = 0; turn < TURNS; turn += 1) {
    const opens = opensAt(window, atSeconds * 1000);
    if (opens === null) return null;
    const opensSeconds = BigInt(Math.ceil(opens / 1000));
    const fits = isCapped
      ? fitsAt(counting.window, opensSeconds, ask.amount, session.dailyCap)
      : opensSeconds;
    if (fits === null || fits > session.expiry) return null;
    if (Number(fits) === atSeconds) return atSeconds;
    atSeconds = Number(fits);
  }
  return null;
}
