/** Parts of an execution as nodes show them. */

import bs58 from 'bs58';
import { instructionJson } from './parsed-instruction.ts';
import type {
  Execution,
  InnerInstructions,
  ReturnData,
} from '../../engine/history/landed-transaction.ts';

export function returnDataJson(returned: ReturnData | null): object | null {
  if (returned === null) return null;
  const { programId, data } = returned;
  return { programId, data: [Buffer.from(data).toString('base64'), 'base64'] };
}

export function innerInstructionsJson(inner: readonly InnerInstructions[]): object[] {
  return inner.map(({ index, instructions }) => ({
    index,
    instructions: instructions.map(({ programIdIndex, accounts, data, stackHeight }) => ({
      programIdIndex,
      accounts: [...accounts],
      data: bs58.encode(data),
      stackHeight,
    })),
  }));
}

/** The same with addresses and, where a node knows the program, with names and fields. */
export function parsedInnerInstructionsJson(
  inner: readonly InnerInstructions[],
  keys: readonly string[],
): object[] {
  return inner.map(({ index, instructions }) => ({
    index,
    instructions: instructions.map(({ programIdIndex, accounts, data, stackHeight }) =>
      instructionJson({
        programId: keys[programIdIndex] ?? '',
        accounts: [...accounts].map((account) => keys[account] ?? ''),
        data,
        stackHeight,
      }),
    ),
  }));
}

/** A simulation without what the caller must ask for. */
export function simulationJson({ err, logs, unitsConsumed, returnData }: Execution) {
  return {
    err,
    logs,
    unitsConsumed,
    returnData: returnDataJson(returnData),
    accounts: null,
    innerInstructions: null,
    replacementBlockhash: null,
  };
}
