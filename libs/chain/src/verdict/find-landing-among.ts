/** Searches several endpoints for a landing, each in its own history alone. */

import { findLanding, type Landing, type LandingQuery } from './find-landing.ts';
import type { WalletProgram } from '../program/program.ts';
import type { Rpc } from '../rpc/rpc.ts';

type SearchRpc = Pick<Rpc, 'signaturesFor' | 'transaction' | 'slot'>;

export type LandingAmong = {
  readonly landing: Landing;
  /** How many endpoints corroborated that there is none: each showed its complete history. */
  readonly corroborations: number;
};

/**
 * Searches one endpoint after the other until one shows a landing or `enough` of them corroborate
 * that there is none. An endpoint that has not reached the query's `minContextSlot` does not count.
 * Throws RPC_UNAVAILABLE when no endpoint answers.
 */
export async function findLandingAmong(
  endpoints: readonly SearchRpc[],
  program: Pick<WalletProgram, 'eventsOf'>,
  query: LandingQuery,
  enough: number,
): Promise<LandingAmong> {
  let corroborations = 0;
  let answered = 0;
  let fault: unknown = null;
  for (const rpc of endpoints) {
    try {
      // Some nodes ignore minContextSlot for signature lists, and such a list carries no slot.
      const slot = await rpc.slot(query.commitment);
      const landing = await findLanding(rpc, program, query);
      if (landing.kind !== 'nothing') return { landing, corroborations };
      answered += 1;
      if (landing.complete && slot >= (query.minContextSlot ?? 0n)) corroborations += 1;
    } catch (error) {
      fault = error;
    }
    if (corroborations >= enough) break;
  }
  if (answered === 0 && fault !== null) throw fault;
  return { landing: { kind: 'nothing', complete: corroborations > 0 }, corroborations };
}
