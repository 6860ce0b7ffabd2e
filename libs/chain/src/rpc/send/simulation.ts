/** The parse boundary of simulations: node data for which the client library has no types. */

import { SolanaJSONRPCError } from '@solana/web3.js';

import type { SimulationResult } from '../read/chain-reads.ts';

/** A node's reply to one call: `result`, or `error` with its free-form data. */
export type RpcReply =
  | { readonly ok: true; readonly result: unknown }
  | { readonly ok: false; readonly code: number; readonly message: string; readonly data: unknown };

export type SimulationError = { readonly err: unknown; readonly logs: readonly string[] };

/** The `err` and `logs` of a simulation as reported by a node; null when absent. */
export function simulationErrorOf(data: unknown): SimulationError | null {
  if (typeof data !== 'object' || data === null || !('err' in data)) return null;
  const logs: unknown = 'logs' in data ? data.logs : [];
  const lines = Array.isArray(logs) ? logs.filter((line) => typeof line === 'string') : [];
  return { err: data.err, logs: lines };
}

/** Parses the reply to simulateTransaction; throws when it is malformed. */
export function simulationOf(reply: RpcReply): SimulationResult {
  if (!reply.ok) throw new SolanaJSONRPCError(reply, 'failed to simulate');
  const { result } = reply;
  if (typeof result !== 'object' || result === null) throw new TypeError('no simulation result');
  const value = 'value' in result ? result.value : null;
  const context = 'context' in result ? result.context : null;
  const outcome = simulationErrorOf(value);
  if (outcome === null || typeof value !== 'object' || value === null) {
    throw new TypeError('no simulation value');
  }
  const isContext = typeof context === 'object' && context !== null && 'slot' in context;
  const slot = isContext ? context.slot : null;
  if (typeof slot !== 'number') throw new TypeError('no simulation slot');
  const units = 'unitsConsumed' in value ? value.unitsConsumed : null;
  return {
    slot: BigInt(slot),
    ...outcome,
    unitsConsumed: typeof units === 'number' ? BigInt(units) : null,
  };
}
