/** Converts a node's transaction record into plain values. */

import type { TokenBalance, VersionedTransactionResponse } from '@solana/web3.js';
import bs58 from 'bs58';

import type { ChainTransaction, InnerInstruction, TokenChange } from './chain-reads.ts';

function keyAt(keys: readonly string[], index: number): string {
  const key = keys[index];
  if (key === undefined) throw new RangeError('an instruction names an account that is not listed');
  return key;
}

type TokenBalances = readonly TokenBalance[] | null | undefined;

function tokenChangesOf(
  keys: readonly string[],
  before: TokenBalances,
  after: TokenBalances,
): readonly TokenChange[] | null {
  if (!Array.isArray(before) || !Array.isArray(after)) return null;
  const changes = new Map<number, TokenChange>();
  for (const { accountIndex, mint, uiTokenAmount } of before) {
    const amount = BigInt(uiTokenAmount.amount);
    const account = keyAt(keys, accountIndex);
    changes.set(accountIndex, { account, mint, before: amount, after: 0n });
  }
  for (const { accountIndex, mint, uiTokenAmount } of after) {
    const account = keyAt(keys, accountIndex);
    const start = changes.get(accountIndex)?.before ?? 0n;
    const amount = BigInt(uiTokenAmount.amount);
    changes.set(accountIndex, { account, mint, before: start, after: amount });
  }
  return [...changes.values()];
}

/**
 * Throws when the record contradicts itself or lacks its outcome; callers treat that as no reply.
 */
export function readTransaction(record: VersionedTransactionResponse): ChainTransaction {
  const { meta, transaction } = record;
  if (meta === null) throw new TypeError('the node knows the transaction but not its outcome');
  const { message } = transaction;
  const loaded = meta.loadedAddresses;
  const accountKeys = [
    ...message.staticAccountKeys,
    ...(loaded?.writable ?? []),
    ...(loaded?.readonly ?? []),
  ].map((key) => key.toBase58());
  const readInner = (inner: {
    programIdIndex: number;
    accounts: number[];
    data: string;
  }): InnerInstruction => ({
    programId: keyAt(accountKeys, inner.programIdIndex),
    accounts: inner.accounts.map((index) => keyAt(accountKeys, index)),
    data: bs58.decode(inner.data),
  });
  return {
    slot: BigInt(record.slot),
    blockTime:
      record.blockTime === null || record.blockTime === undefined ? null : BigInt(record.blockTime),
    err: meta.err,
    logs: meta.logMessages ?? [],
    signatures: transaction.signatures,
    accountKeys,
    instructionPrograms: message.compiledInstructions.map((instruction) =>
      keyAt(accountKeys, instruction.programIdIndex),
    ),
    innerInstructions: (meta.innerInstructions ?? []).map(({ index, instructions }) => ({
      index,
      instructions: instructions.map(readInner),
    })),
    tokenChanges: tokenChangesOf(accountKeys, meta.preTokenBalances, meta.postTokenBalances),
  };
}
