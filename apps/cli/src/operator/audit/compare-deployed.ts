import {
  bigintField,
  EVERYTHING,
  type ProgramEvent,
  sessionOfEvent,
  stringField,
} from '@agent-wallet/chain';
import type { HistoryEntry } from './read-history.ts';

/** The principal in the yield reserve by the vault's events, in base units. */
export type DeployedComparison = {
  readonly deployed: bigint;
  readonly difference: string | null;
};

/**
 * Follows a vault's deployed amount through its events in the order of the chain. The
 * `deployed_amount` of each event must be one that the program may leave, and the last one must
 * equal `deployedAmount` of the vault's account.
 */
export function compareDeployed(
  history: readonly HistoryEntry[],
  vault: string,
  deployedAmount: bigint,
): DeployedComparison {
  let deployed = 0n;
  for (const { signature, slot, events } of history) {
    for (const event of events) {
      const allowed = deployedAfter(event, vault, deployed);
      if (allowed === null) continue;
      const logged = bigintField(event.data, 'deployed_amount');
      if (!allowed.includes(logged)) {
        const place = `${signature} ${event.instructionIndex}.${event.innerIndex} in slot ${slot}`;
        const what = `event ${event.name} of ${place} leaves ${logged} deployed`;
        return { deployed, difference: `${what}, with those before it that is ${allowed[0]}` };
      }
      deployed = logged;
    }
  }
  if (deployed === deployedAmount) return { deployed, difference: null };
  const difference = `the vault has ${deployedAmount} deployed, its yield events say ${deployed}`;
  return { deployed, difference };
}

/** The most that rounding may take from a full withdrawal, in base units. */
const ROUNDING = 1n;

/**
 * The amounts that the program may leave deployed after one event, the usual one first. A deposit
 * adds and a withdrawal subtracts. A full withdrawal also clears the rounding remainder. The owner
 * may write off the rest when no collateral is left, and sweep the collateral; what was left does
 * not show in the event. Returns null for other events.
 */
function deployedAfter(
  event: ProgramEvent,
  vault: string,
  deployed: bigint,
): readonly bigint[] | null {
  const { name, data } = event;
  if (!('vault' in data) || stringField(data, 'vault') !== vault) return null;
  switch (name) {
    case 'YieldDeposited':
      return [deployed + bigintField(data, 'liquidity_delta')];
    case 'YieldWithdrawn': {
      const moved = bigintField(data, 'liquidity_delta');
      const rest = moved < deployed ? deployed - moved : 0n;
      const amount = bigintField(data, 'amount');
      if (amount === EVERYTHING && sessionOfEvent(event) === null) {
        if (bigintField(data, 'collateral_delta') === 0n) return [0n];
        return rest <= ROUNDING ? [rest, 0n] : [rest];
      }
      return amount === deployed && rest <= ROUNDING ? [0n] : [rest];
    }
    case 'TokenAccountSwept':
      return [deployed, 0n];
    default:
      return null;
  }
}
