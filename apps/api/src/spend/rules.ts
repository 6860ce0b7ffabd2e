import { isWithinWindow, opensAt } from '@agent-wallet/policy';
import type { Spend, UsedUp } from '@agent-wallet/spend';
import { acceptWhenLiquid, type AcceptDeps, type Wish } from './accept-when-liquid.ts';
import { denyRequest } from './deny-request.ts';
import { readTimeWindow } from '@agent-wallet/wallet';

export type OutsideTimeWindow = {
  readonly kind: 'outside_time_window';
  readonly opensAtMs: number | null;
};

/** Why an ask became no spend. */
export type NotAccepted =
  | { readonly kind: 'key_reused' }
  | { readonly kind: 'too_many_pending' }
  | { readonly kind: 'intake_closed' }
  | { readonly kind: 'no_keystore' }
  | ({ readonly kind: 'over_budget' } & UsedUp)
  | {
      readonly kind: 'insufficient';
      readonly amount: bigint;
      readonly liquid: bigint;
      readonly reserved: bigint;
      /** Of a deposit to the yield reserve. */
      readonly deployed?: bigint | undefined;
    }
  | { readonly kind: 'partial_liquidity'; readonly available: bigint };

/** A well-formed ask, and who is told the spend's id once there is one. */
export type Ask = Wish & { readonly onAccepted: (spendId: string) => void };

export type AskDeps = AcceptDeps & { readonly nudge: (sessionId: string) => Promise<void> };

/** Refuses, with a deny row, what comes outside the wallet's hours; null inside them. */
export async function refuseOutsideWindow(
  { db, nowMs }: Pick<AskDeps, 'db' | 'nowMs'>,
  ask: Parameters<typeof denyRequest>[1],
): Promise<OutsideTimeWindow | null> {
  const window = await readTimeWindow(db, ask.agent.walletId);
  const atMs = nowMs();
  if (isWithinWindow(window, atMs)) return null;
  await denyRequest(db, ask, 'OUTSIDE_TIME_WINDOW', null);
  return { kind: 'outside_time_window', opensAtMs: opensAt(window, atMs) };
}

/** Accepts an ask that has passed every rule but liquidity, and wakes its lane. */
export async function acceptAsk(
  deps: AskDeps,
  ask: Ask,
): Promise<NotAccepted | { readonly kind: 'accepted'; readonly spend: Spend }> {
  const outcome = await acceptWhenLiquid(deps, ask);
  switch (outcome.kind) {
    case 'insufficient': {
      const { liquid, reserved } = outcome;
      await denyRequest(
        deps.db,
        ask,
        'INSUFFICIENT_LIQUID',
        `liquid ${liquid}, reserved ${reserved}`,
      );
      const deployed = ask.kind === 'yield_deposit' ? outcome.deployed : undefined;
      return { kind: 'insufficient', amount: ask.amount, liquid, reserved, deployed };
    }
    case 'partial_liquidity':
      await denyRequest(deps.db, ask, 'PARTIAL_LIQUIDITY', `available ${outcome.available}`);
      return outcome;
    case 'accepted':
      ask.onAccepted(outcome.spend.spendId);
      await deps.nudge(ask.agent.sessionId);
      return outcome;
    case 'existing':
      return { kind: 'accepted', spend: outcome.spend };
    default:
      return outcome;
  }
}
