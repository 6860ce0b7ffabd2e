/**
 * A second description of a spend's bytes, without the IDL coder. The signer compares against it,
 * so that a mistake in the builder is never signed.
 */

import { ComputeBudgetProgram } from '@solana/web3.js';

import {
  readonly,
  u64,
  type ExpectedAccount,
  type ExpectedInstruction,
} from './expected-instruction.ts';
import { expectedTransfer } from './expected-transfer.ts';
import { expectedYieldDeposit, expectedYieldWithdraw } from './expected-yield.ts';
import { MEMO_PROGRAM } from '../build/memo.ts';
import type { WalletProgram } from '../program/program.ts';
import type { SpendAction } from '../build/spend-action.ts';
import type { SpendIntent } from '../build/spend-message.ts';

export type ExpectedSpend = {
  /** The accounts of the message, each once, in any order. */
  readonly accounts: readonly ExpectedAccount[];
  readonly instructions: readonly ExpectedInstruction[];
};

const COMPUTE_BUDGET = ComputeBudgetProgram.programId.toBase58();
const SET_COMPUTE_UNIT_LIMIT = 2;
const SET_COMPUTE_UNIT_PRICE = 3;

function expectedComputeBudget(intent: SpendIntent): readonly ExpectedInstruction[] {
  const limit = Buffer.alloc(5);
  limit.writeUInt8(SET_COMPUTE_UNIT_LIMIT, 0);
  limit.writeUInt32LE(intent.computeUnitLimit, 1);
  const price = Buffer.concat([
    Buffer.from([SET_COMPUTE_UNIT_PRICE]),
    u64(intent.computeUnitPrice),
  ]);
  return [limit, price].map((data) => ({ program: COMPUTE_BUDGET, accounts: [], data }));
}

/** One case per kind of action. */
function expectedAction(program: WalletProgram, action: SpendAction): ExpectedInstruction {
  switch (action.kind) {
    case 'transfer':
      return expectedTransfer(program, action);
    case 'yield_deposit':
      return expectedYieldDeposit(program, action.reserve, action);
    case 'yield_withdraw':
      return expectedYieldWithdraw(program, action.reserve, action);
  }
}

function expectedMemo({ facilitated }: SpendIntent): readonly ExpectedInstruction[] {
  if (facilitated === undefined) return [];
  return [{ program: MEMO_PROGRAM, accounts: [], data: Buffer.from(facilitated.memo, 'utf8') }];
}

/** A message lists an account once, with the rights of all its uses. */
function merged(accounts: readonly ExpectedAccount[]): readonly ExpectedAccount[] {
  const byAddress = new Map<string, ExpectedAccount>();
  for (const account of accounts) {
    const known = byAddress.get(account.address);
    byAddress.set(account.address, {
      address: account.address,
      signer: account.signer || known?.signer === true,
      writable: account.writable || known?.writable === true,
    });
  }
  return [...byAddress.values()];
}

/** The accounts and instructions that do exactly what `intent` says. */
export function expectedSpend(program: WalletProgram, intent: SpendIntent): ExpectedSpend {
  const instructions = [
    ...expectedComputeBudget(intent),
    expectedAction(program, intent),
    ...expectedMemo(intent),
  ];
  return {
    accounts: merged([
      { address: intent.feePayer, signer: true, writable: true },
      ...instructions.flatMap(({ accounts }) => accounts),
      ...instructions.map((instruction) => readonly(instruction.program)),
    ]),
    instructions,
  };
}
