/** The search for a landing on several endpoints, each by its own history alone. */

import { findLanding, type Landing, type LandingQuery } from './find-landing.ts';
import type { WalletProgram } from '../program/program.ts';
import type { Rpc } from '../rpc/rpc.ts';

type SearchRpc = Pick<Rpc, 'signaturesFor' | 'transaction' | 'slot'>;

export type LandingAmong = {
  readonly landing: Landing;
  /** How many endpoints showed a complete history without any landing. */
  readonly cleanLooks: number;
};

/**
 * Looks at one endpoint after the other until one shows a landing or `enoughLooks` have completely
 * shown none. One that is not at the query's `minContextSlot` yet does not count. Throws
 * RPC_UNAVAILABLE when none answered.
 */
export async function findLandingAmong(
  endpoints: readonly SearchRpc[],
  program: Pick<WalletProgram, 'eventsOf'>,
  query: LandingQuery,
  enoughLooks: number,
): Promise<LandingAmong> {
  let cleanLooks = 0;
  let answered = 0;
  let fault: unknown = null;
  for (const rpc of endpoints) {
    try {
      // Not every node minds minContextSlot in a list of signatures, which has no slot of its own.
      const slot = await rpc.slot(query.commitment);
      const landing = await findLanding(rpc, program, query);
      if (landing.kind !== 'nothing') return { landing, cleanLooks };
      answered += 1;
      if (landing.complete && slot >= (query.minContextSlot ?? 0n)) cleanLooks += 1;
    } catch (error) {
      fault = error;
    }
    if (cleanLooks >= enoughLooks) break;
  }
  if (answered === 0 && fault !== null) throw fault;
  return { landing: { kind: 'nothing', complete: cleanLooks > 0 }, cleanLooks };
}
