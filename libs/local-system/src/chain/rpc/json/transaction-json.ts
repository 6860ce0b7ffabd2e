/** Landed transactions as nodes show them. */

import bs58 from 'bs58';
import type { LandedTransaction } from '../../engine/history/landed-transaction.ts';
import { accountKeysOf } from '../../engine/transactions/located-transaction.ts';
import { type TokenBalance, uiTokenAmount } from '../../engine/accounts/token-balances.ts';
import { isWritable, type WireTransaction } from '../../engine/transactions/wire-transaction.ts';
import {
  innerInstructionsJson,
  parsedInnerInstructionsJson,
  returnDataJson,
} from './execution-json.ts';
import { instructionJson } from './parsed-instruction.ts';
import { u64 } from './u64.ts';

export type TransactionEncoding = 'json' | 'jsonParsed' | 'base58' | 'base64' | 'binary';

/** The transaction with its outcome. */
export function transactionJson(landed: LandedTransaction, encoding: TransactionEncoding): object {
  const { slot, blockTime, transaction } = landed;
  return {
    slot,
    blockTime,
    meta: metaJson(landed, encoding),
    transaction: encodedTransaction(landed, encoding),
    version: transaction.message.version,
  };
}

function metaJson(landed: LandedTransaction, encoding: TransactionEncoding): object {
  const { execution, loaded } = landed;
  const { err, logs, inner, unitsConsumed, returnData } = execution;
  return {
    err,
    status: err === null ? { Ok: null } : { Err: err },
    fee: landed.feeLamports,
    preBalances: landed.preBalances.map(u64),
    postBalances: landed.postBalances.map(u64),
    innerInstructions:
      encoding === 'jsonParsed'
        ? parsedInnerInstructionsJson(inner, accountKeysOf(landed))
        : innerInstructionsJson(inner),
    logMessages: logs,
    preTokenBalances: landed.preTokenBalances.map(tokenBalanceJson),
    postTokenBalances: landed.postTokenBalances.map(tokenBalanceJson),
    rewards: [],
    loadedAddresses: loaded,
    ...(returnData !== null && { returnData: returnDataJson(returnData) }),
    computeUnitsConsumed: unitsConsumed,
  };
}

function tokenBalanceJson(balance: TokenBalance): object {
  const { accountIndex, mint, owner, programId, amount, decimals } = balance;
  const uiAmount = uiTokenAmount(amount, decimals);
  return {
    accountIndex,
    mint,
    owner,
    programId,
    uiTokenAmount: { ...uiAmount, uiAmount: amount === 0n ? null : uiAmount.uiAmount },
  };
}

function encodedTransaction(landed: LandedTransaction, encoding: TransactionEncoding) {
  const { transaction } = landed;
  const wire = Buffer.from(transaction.wire);
  switch (encoding) {
    case 'base64':
      return [wire.toString('base64'), 'base64'];
    case 'base58':
      return [bs58.encode(wire), 'base58'];
    case 'binary':
      return bs58.encode(wire);
    case 'json':
      return { signatures: signatures(transaction), message: messageJson(transaction) };
    case 'jsonParsed':
      return { signatures: signatures(transaction), message: parsedMessageJson(landed) };
  }
}

const signatures = (transaction: WireTransaction): string[] =>
  transaction.signatures.map((signature) => bs58.encode(signature));

const lookupsJson = ({ message: { version, lookups } }: WireTransaction): object =>
  version === 'legacy'
    ? {}
    : {
        addressTableLookups: lookups.map(({ table, writable, readonly }) => ({
          accountKey: table,
          writableIndexes: [...writable],
          readonlyIndexes: [...readonly],
        })),
      };

function messageJson(transaction: WireTransaction): object {
  const { message } = transaction;
  return {
    header: {
      numRequiredSignatures: message.requiredSignatures,
      numReadonlySignedAccounts: message.readonlySigned,
      numReadonlyUnsignedAccounts: message.readonlyUnsigned,
    },
    accountKeys: message.keys,
    recentBlockhash: bs58.encode(message.blockhash),
    instructions: message.instructions.map(({ programIdIndex, accounts, data }) => ({
      programIdIndex,
      accounts: [...accounts],
      data: bs58.encode(data),
      stackHeight: 1,
    })),
    ...lookupsJson(transaction),
  };
}

/** Accounts with their roles, and instructions with names where a node knows the program. */
function parsedMessageJson(landed: LandedTransaction): object {
  const { message } = landed.transaction;
  const keys = accountKeysOf(landed);
  return {
    accountKeys: keys.map((pubkey, index) => {
      const signer = index < message.requiredSignatures;
      const writable = isWritable(message, index, landed.loaded.writable.length);
      const source = index < message.keys.length ? 'transaction' : 'lookupTable';
      return { pubkey, signer, source, writable };
    }),
    recentBlockhash: bs58.encode(message.blockhash),
    instructions: message.instructions.map(({ programIdIndex, accounts, data }) =>
      instructionJson({
        programId: keys[programIdIndex] ?? '',
        accounts: [...accounts].map((index) => keys[index] ?? ''),
        data,
        stackHeight: 1,
      }),
    ),
    ...lookupsJson(landed.transaction),
  };
}
