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
 * Adds up a vault's yield events in the order of the chain. Each running sum must equal the event's
 * own `deployed_amount`, and the last one must equal `deployedAmount` of the vault's account.
 */
export function compareDeployed(
  history: readonly HistoryEntry[],
  vault: string,
  deployedAmount: bigint,
): DeployedComparison {
  let deployed = 0n;
  for (const { signature, slot, events } of history) {
    for (const event of events) {
      const after = deployedAfter(event, vault, deployed);
      if (after === null) continue;
      const logged = bigintField(event.data, 'deployed_amount');
      if (logged !== after) {
        const place = `${signature} ${event.instructionIndex}.${event.innerIndex} in slot ${slot}`;
        const what = `event ${event.name} of ${place} leaves ${logged} deployed`;
        return { deployed, difference: `${what}, with those before it that is ${after}` };
      }
      deployed = after;
    }
  }
  if (deployed === deployedAmount) return { deployed, difference: null };
  const difference = `the vault has ${deployedAmount} deployed, its yield events say ${deployed}`;
  return { deployed, difference };
}

/** The most that rounding may take from a full withdrawal, in base units. */
const ROUNDING = 1n;

/**
 * Applies the program's rule to one event: a deposit adds, a withdrawal subtracts, and a full
 * withdrawal also clears the rounding remainder. Returns null for other events.
 */
function deployedAfter(event: ProgramEvent, vault: string, deployed: bigint): bigint | null {
  const { name, data } = event;
  if (name !== 'YieldDeposited' && name !== 'YieldWithdrawn') return null;
  if (stringField(data, 'vault') !== vault) return null;
  const moved = bigintField(data, 'liquidity_delta');
  if (name === 'YieldDeposited') return deployed + moved;
  const rest = moved < deployed ? deployed - moved : 0n;
  const amount = bigintField(data, 'amount');
  const isEverything =
    amount === deployed || (amount === EVERYTHING && sessionOfEvent(event) === null);
  return isEverything && rest <= ROUNDING ? 0n : rest;
}
