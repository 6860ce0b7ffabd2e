/**
 * Errors of transactions in the shape that nodes return. LiteSVM returns those without fields as
 * numbers, and its enums have no names at run time.
 */

import {
  type FailedTransactionMetadata,
  InstructionErrorCustom,
  TransactionErrorDuplicateInstruction,
  TransactionErrorInstructionError,
  TransactionErrorInsufficientFundsForRent,
  TransactionErrorProgramExecutionTemporarilyRestricted,
} from 'litesvm/dist/internal.js';
import { INSTRUCTION_ERRORS, TRANSACTION_ERRORS } from './error-texts.ts';

export type InstructionError = string | { readonly Custom: number };

/** As JSON-RPC shows it: a name, or an object with the name as its only key. */
export type TransactionError =
  | string
  | { readonly InstructionError: readonly [index: number, error: InstructionError] }
  | { readonly DuplicateInstruction: number }
  | { readonly InsufficientFundsForRent: { readonly account_index: number } }
  | { readonly ProgramExecutionTemporarilyRestricted: { readonly account_index: number } };

const transactionErrorNames = Object.keys(TRANSACTION_ERRORS);
const instructionErrorNames = Object.keys(INSTRUCTION_ERRORS);

function nameAt(names: readonly string[], index: number): string {
  const name = names[index];
  if (name === undefined) throw new RangeError(`LiteSVM returned the unknown error ${index}`);
  return name;
}

export function transactionErrorOf(failed: FailedTransactionMetadata): TransactionError {
  const error = failed.err();
  if (error instanceof TransactionErrorInstructionError) {
    const inner = error.err();
    return { InstructionError: [error.index, instructionErrorOf(inner)] };
  }
  if (error instanceof TransactionErrorDuplicateInstruction) {
    return { DuplicateInstruction: error.index };
  }
  if (error instanceof TransactionErrorInsufficientFundsForRent) {
    return { InsufficientFundsForRent: { account_index: error.accountIndex } };
  }
  if (error instanceof TransactionErrorProgramExecutionTemporarilyRestricted) {
    return { ProgramExecutionTemporarilyRestricted: { account_index: error.accountIndex } };
  }
  return nameAt(transactionErrorNames, error);
}

function instructionErrorOf(
  error: ReturnType<TransactionErrorInstructionError['err']>,
): InstructionError {
  if (error instanceof InstructionErrorCustom) return { Custom: error.code };
  return typeof error === 'number' ? nameAt(instructionErrorNames, error) : 'BorshIoError';
}

/** The sentence that a node returns for an error. */
export function describeTransactionError(error: TransactionError): string {
  if (typeof error === 'string') return TRANSACTION_ERRORS[error] ?? error;
  if ('InstructionError' in error) {
    const [index, inner] = error.InstructionError;
    const text =
      typeof inner === 'string'
        ? (INSTRUCTION_ERRORS[inner] ?? inner)
        : `custom program error: 0x${inner.Custom.toString(16)}`;
    return `Error processing Instruction ${index}: ${text}`;
  }
  if ('DuplicateInstruction' in error) {
    return `Transaction contains a duplicate instruction (${error.DuplicateInstruction}) that is not allowed`;
  }
  if ('InsufficientFundsForRent' in error) {
    const index = error.InsufficientFundsForRent.account_index;
    return `Transaction results in an account (${index}) with insufficient funds for rent`;
  }
  const index = error.ProgramExecutionTemporarilyRestricted.account_index;
  return `Execution of the program referenced by account at index ${index} is temporarily restricted.`;
}
