import {
  failureOfSimulation,
  isReplayRefusal,
  type Rpc,
  type SimulationResult,
  type WalletProgram,
} from '@agent-wallet/chain';
import { AppError } from '@agent-wallet/errors';
import { type Lane, REFUSALS } from '@agent-wallet/spend';
import { type IsSessionAbsent, type Refusal, describeRefusal } from './describe-refusal.ts';

/** Why a payment cannot succeed, before its bytes are handed out; null when it can. */
export type SimulatePayment = (
  lane: Lane,
  wire: Uint8Array,
  minContextSlot: bigint,
) => Promise<Refusal | null>;

type SimulateDeps = {
  readonly rpc: Pick<Rpc, 'simulate'>;
  readonly program: WalletProgram;
  readonly isSessionAbsent: IsSessionAbsent;
};

/** Errors of a node when the fee payer's account is missing, unfit or lacks money. */
const FEE_PAYER_ERRORS: ReadonlySet<unknown> = new Set([
  'AccountNotFound',
  'InsufficientFundsForFee',
  'InvalidAccountForFee',
]);
/** Errors of the node or the moment, never of the payment. */
const PASSING_ERRORS: ReadonlySet<unknown> = new Set([
  'AccountInUse',
  'AlreadyProcessed',
  'BlockhashNotFound',
  'ClusterMaintenance',
]);

/**
 * Simulates the bytes of a payment, as preflight does for our own sends. Throws RPC_UNAVAILABLE
 * when the result decides nothing, and INTERNAL for a failure that is not our program's.
 */
export function createSimulatePayment(deps: SimulateDeps): SimulatePayment {
  return async (lane, wire, minContextSlot) => {
    const simulation = await deps.rpc.simulate(wire, { minContextSlot });
    // Some nodes ignore minContextSlot.
    if (simulation.slot < minContextSlot) throw noAnswer('the node is behind');
    if (simulation.err === null) return null;
    return explain(deps, lane, wire, simulation);
  };
}

async function explain(
  { program, isSessionAbsent }: SimulateDeps,
  lane: Lane,
  wire: Uint8Array,
  simulation: SimulationResult,
): Promise<Refusal> {
  const { err } = simulation;
  const told = JSON.stringify(err);
  if (FEE_PAYER_ERRORS.has(err)) {
    const detail = `the fee payer of the facilitator cannot pay: ${told}`;
    return { code: REFUSALS.unsupportedByService, detail };
  }
  const failure = failureOfSimulation(program, wire, simulation);
  if (PASSING_ERRORS.has(err) || (failure !== null && isReplayRefusal(failure))) {
    throw noAnswer(`the simulation says ${told}`);
  }
  if (failure === null) throw new AppError('INTERNAL', { reason: `the simulation says ${told}` });
  const refusal = await describeRefusal(isSessionAbsent, lane, failure);
  if (refusal === null) throw noAnswer('the session was not there at an older slot');
  return refusal;
}

const noAnswer = (reason: string): AppError => new AppError('RPC_UNAVAILABLE', { reason });
