/**
 * The outcome of one sendTransaction call. Only a preflight refusal of our own instruction decides
 * about the spend; any other reply leaves it open.
 */

import { isBehindCode } from '../../endpoints/endpoint-faults.ts';
import {
  programFailureOf,
  type FailureFacts,
  type ProgramFailure,
} from '../../program/program-failure.ts';
import { simulationErrorOf, type RpcReply, type SimulationError } from './simulation.ts';

export type SendOutcome =
  | { readonly kind: 'accepted'; readonly signature: string }
  | { readonly kind: 'refused'; readonly failure: ProgramFailure }
  | { readonly kind: 'already_processed' }
  /** The endpoint says that it is behind or has too many calls, and did not take the bytes. */
  | { readonly kind: 'not_taken'; readonly message: string }
  | { readonly kind: 'unknown'; readonly message: string };

/** JSON-RPC code of a failed preflight simulation: the transaction was not forwarded. */
const PREFLIGHT_FAILURE = -32_002;
const SIGNATURE = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/;

function isAlreadyProcessed(message: string, simulation: SimulationError | null): boolean {
  if (simulation?.err === 'AlreadyProcessed') return true;
  return message.includes('already been processed');
}

/**
 * Parses a node's reply to sendTransaction. What `originOf` returns attributes a failure to a
 * program; it is called for a failure only.
 */
export function sendOutcomeOf(
  reply: RpcReply,
  originOf: () => Omit<FailureFacts, 'err' | 'logs'>,
): SendOutcome {
  if (reply.ok) {
    if (typeof reply.result === 'string' && SIGNATURE.test(reply.result)) {
      return { kind: 'accepted', signature: reply.result };
    }
    return { kind: 'unknown', message: 'the node answered without a signature' };
  }
  const simulation = simulationErrorOf(reply.data);
  if (isAlreadyProcessed(reply.message, simulation)) return { kind: 'already_processed' };
  const message = `${reply.code}: ${reply.message.slice(0, 300)}`;
  // A node that is behind refuses before it simulates, or does not know a newer blockhash yet.
  const isBehind = isBehindCode(reply.code) || simulation?.err === 'BlockhashNotFound';
  if (isBehind) return { kind: 'not_taken', message };
  if (reply.code === PREFLIGHT_FAILURE && simulation !== null) {
    const failure = programFailureOf({ ...originOf(), ...simulation });
    if (failure !== null) return { kind: 'refused', failure };
  }
  return { kind: 'unknown', message };
}
