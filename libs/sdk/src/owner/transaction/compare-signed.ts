import { ed25519 } from '@noble/curves/ed25519.js';
import bs58 from 'bs58';
import { AgentWalletError, isAgentWalletError } from '../../http/agent-wallet-error.ts';
import { bytesOf } from './addresses.ts';
import { readBytes } from './byte-reader.ts';
import { mismatch } from './mismatch.ts';
import {
  type MessageInstruction,
  type ReadSignedTransaction,
  readSignedTransaction,
} from './read-transaction.ts';

const COMPUTE_BUDGET_PROGRAM = 'ComputeBudget111111111111111111111111111111';
const SET_UNIT_LIMIT = 2;
const SET_UNIT_PRICE = 3;
/** The most units that the network gives to a transaction. */
const MAX_UNITS = 1_400_000n;
const MICRO_LAMPORTS = 1_000_000n;
/** 0.01 SOL: far above what wallets pay, far below what would hurt. */
const MAX_PRIORITY_FEE_LAMPORTS = 10_000_000n;

/**
 * Compares what a wallet returned with what it was given. A wallet may take a newer blockhash and
 * set a compute budget, which pays for priority; everything else has to be the same, and the
 * signature the owner's. Throws `SIGNED_MISMATCH` otherwise. Returns the signature, in base58, and
 * the blockhash that decides how long it is good for.
 */
export function compareSigned(
  signed: Uint8Array,
  given: { readonly unsigned: Uint8Array; readonly owner: string },
): { readonly signature: string; readonly blockhash: string } {
  try {
    const found = readSignedTransaction(signed);
    compareContent(found, readSignedTransaction(given.unsigned));
    if (!ed25519.verify(found.signature, found.message, bytesOf(given.owner))) {
      throw mismatch('signature', `is not that of ${given.owner}`);
    }
    return { signature: bs58.encode(found.signature), blockhash: found.blockhash };
  } catch (cause) {
    throw isAgentWalletError(cause, 'TRANSACTION_MISMATCH') ? signedMismatch(cause) : cause;
  }
}

function compareContent(found: ReadSignedTransaction, given: ReadSignedTransaction): void {
  checkPriorityFee(found.instructions.filter(isBudget));
  const kept = (one: ReadSignedTransaction): string =>
    JSON.stringify([
      one.accounts[0]?.address,
      one.accounts
        .filter(({ address }) => address !== COMPUTE_BUDGET_PROGRAM)
        .map((account) => [account.address, account.isSigner, account.isWritable].join())
        .toSorted(),
      one.instructions
        .filter((instruction) => !isBudget(instruction))
        .map(({ programId, accounts, data }) => [programId, accounts, [...data]]),
    ]);
  if (kept(found) !== kept(given)) throw mismatch('instructions', 'or accounts were changed');
}

const isBudget = ({ programId }: MessageInstruction): boolean =>
  programId === COMPUTE_BUDGET_PROGRAM;

function checkPriorityFee(budget: readonly MessageInstruction[]): void {
  let units = MAX_UNITS;
  let price = 0n;
  for (const { data, accounts } of budget) {
    const reader = readBytes(data, 'compute budget');
    const kind = reader.byte();
    if (kind === SET_UNIT_LIMIT) units = reader.unsigned(4);
    else if (kind === SET_UNIT_PRICE) price = reader.unsigned(8);
    else throw mismatch('compute budget', `has an instruction ${kind}`);
    reader.end();
    if (accounts.length > 0) throw mismatch('compute budget', 'names accounts');
  }
  const lamports = (price * units) / MICRO_LAMPORTS;
  if (lamports > MAX_PRIORITY_FEE_LAMPORTS) {
    throw mismatch('compute budget', `costs ${lamports} lamports`);
  }
}

const signedMismatch = (cause: AgentWalletError): AgentWalletError =>
  new AgentWalletError({
    code: 'SIGNED_MISMATCH',
    error: `the wallet returned another transaction than it was given: ${cause.detail}`,
    remedy: 'nothing was sent; look at the settings of the wallet, or sign with another one',
    detail: cause.message,
    cause,
  });
