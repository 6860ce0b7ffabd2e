import { blastRadius } from '@agent-wallet/policy/blast-radius';
import { applySpend, emptySpendWindow } from '@agent-wallet/policy/spend-window';
import type { Session } from './owner-replies.ts';

/** What decides the worst case of a session. `Session` fits, and so does a session to be created. */
export type LimitedSession = {
  readonly daily_cap: bigint;
  /** Unix seconds. */
  readonly expiry: number;
  readonly allowed_instructions: number;
  readonly allowed_recipients: readonly string[];
  /** What counts against the cap already; nothing by default. */
  readonly daily_spent_by_hour?: readonly { readonly hour: number; readonly amount: bigint }[];
  readonly status?: Session['status'];
};

/** The most that can leave the vault, in base units. */
export type Spendable = {
  readonly now: bigint;
  /** From now to 86 400 seconds from now. */
  readonly within_24h: bigint;
  /** From now to the expiry, whose second still counts. */
  readonly until_expiry: bigint;
};

/**
 * The most that an agent could spend, or a thief with the session's key, by the limits on chain: the
 * vault may hold less. What was spent counts, and what drops out of the rolling 24 hours can be
 * spent again. `max_per_tx` does not matter, because the number of transfers is unlimited. The time
 * window and the URL allowlist do not bind the session's key. A session that awaits the owner's
 * signature counts as live; a pause is ignored, because it can be lifted.
 */
export function worstCase(session: LimitedSession, at: Date = new Date()): Spendable {
  if (session.status === 'revoked') return { now: 0n, within_24h: 0n, until_expiry: 0n };
  const window = (session.daily_spent_by_hour ?? []).reduce(
    (before, { hour, amount }) => applySpend(before, BigInt(hour), amount),
    emptySpendWindow(),
  );
  const { byLimits } = blastRadius(
    {
      paused: false,
      expiry: BigInt(session.expiry),
      allowedInstructions: session.allowed_instructions,
      maxPerTx: session.daily_cap,
      dailyCap: session.daily_cap,
      recipients: session.allowed_recipients,
      window,
    },
    { liquid: 0n, deployed: 0n, value: 0n, maxDeployedFractionBp: 0 },
    BigInt(Math.floor(at.getTime() / 1_000)),
  );
  return {
    now: byLimits.now,
    within_24h: byLimits.within24h,
    until_expiry: byLimits.untilExpiry,
  };
}
