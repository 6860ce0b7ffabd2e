/** One send of a signed transaction, and its outcome. */

import { VersionedTransaction } from '@solana/web3.js';

import { errorNames } from '../../program/idl.ts';
import { programFailureOf, type ProgramFailure } from '../../program/program-failure.ts';
import type { ChainTransaction, SimulationResult } from '../read/chain-reads.ts';
import type { WalletProgram } from '../../program/program.ts';
import type { Rpc } from '../rpc.ts';
import { sendOutcomeOf, type SendOutcome } from './send-outcome.ts';
import { ThrottledError } from '../throttled-error.ts';

export type SendOptions = { readonly skipPreflight: boolean; readonly minContextSlot?: bigint };

export type Send = (wire: Uint8Array, options: SendOptions) => Promise<SendOutcome>;

function instructionProgramsOf(wire: Uint8Array): readonly string[] {
  const { message } = VersionedTransaction.deserialize(wire);
  return message.compiledInstructions.map(
    ({ programIdIndex }) => message.staticAccountKeys[programIdIndex]?.toBase58() ?? '',
  );
}

/** Sends exactly once. Does not throw when the node fails: a fault is an `unknown` outcome. */
export function createSend(rpc: Pick<Rpc, 'sendRaw'>, program: WalletProgram): Send {
  return async (wire, options) => {
    try {
      const reply = await rpc.sendRaw(wire, options);
      return sendOutcomeOf(reply, () => ({
        instructionPrograms: instructionProgramsOf(wire),
        programId: program.programId,
        errorNames,
      }));
    } catch (error) {
      const cause = error instanceof Error ? (error.cause ?? error) : error;
      const kind = cause instanceof ThrottledError ? 'not_taken' : 'unknown';
      return { kind, message: String(cause).slice(0, 300) };
    }
  };
}

/**
 * The failure of a transaction that landed with an error; null when our program is not the cause.
 */
export function failureOfTransaction(
  program: WalletProgram,
  transaction: ChainTransaction,
): ProgramFailure | null {
  return programFailureOf({ ...transaction, programId: program.programId, errorNames });
}

/** The failure of a simulation; null when it succeeded or failed elsewhere. */
export function failureOfSimulation(
  program: WalletProgram,
  wire: Uint8Array,
  simulation: SimulationResult,
): ProgramFailure | null {
  const instructionPrograms = instructionProgramsOf(wire);
  const { programId } = program;
  return programFailureOf({ ...simulation, instructionPrograms, programId, errorNames });
}
