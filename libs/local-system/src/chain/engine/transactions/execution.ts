/** What LiteSVM returns for a transaction, as plain values. */

import { FailedTransactionMetadata, type TransactionMetadata } from 'litesvm/dist/internal.js';
import type { AccountState } from '../accounts/account-state.ts';
import { addressOf } from '../accounts/addresses.ts';
import type { Execution, InnerInstructions } from '../history/landed-transaction.ts';
import { keyAt, type LocatedTransaction } from './located-transaction.ts';
import { transactionErrorOf } from './transaction-error.ts';

type Returned = TransactionMetadata | FailedTransactionMetadata;

export function executionOf(
  returned: Returned,
  located: LocatedTransaction,
  newest: (address: string) => AccountState | null,
): Execution {
  if (!(returned instanceof FailedTransactionMetadata)) return readMeta(returned, null);
  const err = transactionErrorOf(returned);
  const isMissing = err === 'InvalidProgramForExecution' && lacksProgram(located, newest);
  return readMeta(returned.meta(), isMissing ? 'ProgramAccountNotFound' : err);
}

/** LiteSVM has one name for programs that are missing and for accounts that are no programs. */
function lacksProgram(
  { transaction, keys }: LocatedTransaction,
  newest: (address: string) => AccountState | null,
): boolean {
  const { instructions } = transaction.message;
  return instructions.some(({ programIdIndex }) => newest(keyAt(keys, programIdIndex)) === null);
}

function readMeta(meta: TransactionMetadata, err: Execution['err']): Execution {
  const returned = meta.returnData();
  const data = returned.data();
  return {
    err,
    logs: meta.logs(),
    inner: readInner(meta),
    unitsConsumed: Number(meta.computeUnitsConsumed()),
    returnData: data.length === 0 ? null : { programId: addressOf(returned.programId()), data },
  };
}

function readInner(meta: TransactionMetadata): readonly InnerInstructions[] {
  const inner: InnerInstructions[] = [];
  for (const [index, calls] of meta.innerInstructions().entries()) {
    if (calls.length === 0) continue;
    const instructions = calls.map((call) => {
      const instruction = call.instruction();
      return {
        programIdIndex: instruction.programIdIndex(),
        accounts: instruction.accounts(),
        data: instruction.data(),
        stackHeight: call.stackHeight(),
      };
    });
    inner.push({ index, instructions });
  }
  return inner;
}

/** An error before any execution. */
export function refusedExecution(err: string): Execution {
  return { err, logs: [], inner: [], unitsConsumed: 0, returnData: null };
}
