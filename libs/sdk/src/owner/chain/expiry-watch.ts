import { z } from 'zod';
import type { Clock, TimeLimit } from '../../http/time-limit.ts';
import type { RpcNode } from './rpc-node.ts';

const CHECK_MS = 2_500;

const validity = z.object({ context: z.looseObject({ slot: z.int() }), value: z.boolean() });

/**
 * Watches whether a blockhash has expired beyond doubt: in finalized blocks it was valid at one slot,
 * and no longer is at a later one. A node that is behind, and one that never knew it, prove nothing.
 */
export function createExpiryWatch(
  blockhash: string,
  { node, clock }: { readonly node: RpcNode; readonly clock: Clock },
  limit: TimeLimit,
): { isExpired(): Promise<boolean> } {
  let validAtSlot: number | null = null;
  let hasExpired = false;
  let checkedAtMs = -Infinity;
  return {
    isExpired: async () => {
      if (hasExpired || clock.nowMs() - checkedAtMs < CHECK_MS) return hasExpired;
      checkedAtMs = clock.nowMs();
      const params = [blockhash, { commitment: 'finalized' }];
      const reply = await node.call('isBlockhashValid', params, limit);
      const { data } = validity.safeParse(reply?.result);
      if (data?.value === true) validAtSlot = Math.max(validAtSlot ?? 0, data.context.slot);
      hasExpired = data?.value === false && validAtSlot !== null && data.context.slot > validAtSlot;
      return hasExpired;
    },
  };
}
