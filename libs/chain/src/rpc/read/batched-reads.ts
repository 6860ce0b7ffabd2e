/** Reads of many accounts or signatures, split into calls of a size that nodes accept. */

import { PublicKey, type Connection } from '@solana/web3.js';

import type { AccountSnapshot, AccountsAtSlot, Commitment, StatusesAtSlot } from './chain-reads.ts';
import { BehindError } from '../../endpoints/endpoint-faults.ts';
import type { CallNode } from '../json-rpc.ts';
import { minSlotOption, type RunCall } from '../rpc-call.ts';
import { statusesOf } from './signature-replies.ts';

const ACCOUNTS_PER_CALL = 100;
const STATUSES_PER_CALL = 256;

export type AccountsOptions = {
  readonly commitment: Commitment;
  readonly minContextSlot?: bigint;
};

function batchesOf<T>(items: readonly T[], size: number): (readonly T[])[] {
  const count = Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, i) => items.slice(i * size, (i + 1) * size));
}

/** A reply made of parts is only as new as its oldest part. */
const oldestOf = (slots: readonly bigint[]): bigint =>
  slots.reduce((oldest, slot) => (slot < oldest ? slot : oldest), slots[0] ?? 0n);

async function accountsOnce(
  connection: Connection,
  addresses: readonly string[],
  { commitment, minContextSlot }: AccountsOptions,
): Promise<AccountsAtSlot> {
  const { context, value } = await connection.getMultipleAccountsInfoAndContext(
    addresses.map((address) => new PublicKey(address)),
    { commitment, ...minSlotOption(minContextSlot) },
  );
  const slot = BigInt(context.slot);
  if (value.length !== addresses.length) throw new RangeError('accounts are missing');
  // Some nodes ignore the option, so the slot of the reply decides.
  if (minContextSlot !== undefined && slot < minContextSlot) {
    throw new BehindError(`the node answered at slot ${slot}, before ${minContextSlot}`);
  }
  const accounts = addresses.map((address, i): AccountSnapshot | null => {
    const info = value[i] ?? null;
    if (info === null) return null;
    const { data, lamports } = info;
    return { address, owner: info.owner.toBase58(), lamports: BigInt(lamports), data };
  });
  return { slot, accounts };
}

/** Accounts in the order requested, at the slot of the oldest reply. */
export async function readAccounts(
  call: RunCall,
  connection: Connection,
  addresses: readonly string[],
  options: AccountsOptions,
): Promise<AccountsAtSlot> {
  const parts: AccountsAtSlot[] = [];
  for (const batch of batchesOf(addresses, ACCOUNTS_PER_CALL)) {
    const read = (): Promise<AccountsAtSlot> => accountsOnce(connection, batch, options);
    parts.push(await call('getMultipleAccounts', read));
  }
  return {
    slot: oldestOf(parts.map((part) => part.slot)),
    accounts: parts.flatMap((part) => part.accounts),
  };
}

/** Statuses in the order requested, at the slot of the oldest reply. */
export async function readStatuses(
  call: RunCall,
  callNode: CallNode,
  signatures: readonly string[],
  searchTransactionHistory: boolean,
): Promise<StatusesAtSlot> {
  const parts: StatusesAtSlot[] = [];
  for (const batch of batchesOf(signatures, STATUSES_PER_CALL)) {
    const params = [batch, { searchTransactionHistory }];
    const read = async (): Promise<StatusesAtSlot> =>
      statusesOf(await callNode('getSignatureStatuses', params), batch.length);
    parts.push(await call('getSignatureStatuses', read));
  }
  return {
    slot: oldestOf(parts.map((part) => part.slot)),
    statuses: parts.flatMap((part) => part.statuses),
  };
}
