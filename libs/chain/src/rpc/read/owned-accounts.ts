/** Accounts by whom they belong to. A node searches for them; it may leave some out. */

import { type AccountInfo, type Connection, PublicKey } from '@solana/web3.js';

import type { AccountSnapshot, Commitment } from './chain-reads.ts';
import { minSlotOption, type RunCall } from '../rpc-call.ts';

export type OwnedOptions = { readonly commitment: Commitment; readonly minContextSlot?: bigint };

/** The accounts of a program whose data has an address at an offset. */
export type NamingQuery = OwnedOptions & { readonly offset: number; readonly address: string };

type Found = { readonly pubkey: PublicKey; readonly account: AccountInfo<Buffer> };

const snapshotOf = ({ pubkey, account }: Found): AccountSnapshot => ({
  address: pubkey.toBase58(),
  owner: account.owner.toBase58(),
  lamports: BigInt(account.lamports),
  data: account.data,
});

/** The accounts of a program that name an address. */
export async function readAccountsNaming(
  call: RunCall,
  connection: Connection,
  programId: string,
  { offset, address, commitment, minContextSlot }: NamingQuery,
): Promise<readonly AccountSnapshot[]> {
  const found = await call('getProgramAccounts', () =>
    connection.getProgramAccounts(new PublicKey(programId), {
      commitment,
      filters: [{ memcmp: { offset, bytes: address } }],
      ...minSlotOption(minContextSlot),
    }),
  );
  return found.map(snapshotOf);
}

/** The token accounts of an owner under one token program. */
export async function readTokenAccountsOf(
  call: RunCall,
  connection: Connection,
  owner: string,
  tokenProgram: string,
  { commitment, minContextSlot }: OwnedOptions,
): Promise<readonly AccountSnapshot[]> {
  const { value } = await call('getTokenAccountsByOwner', () =>
    connection.getTokenAccountsByOwner(
      new PublicKey(owner),
      { programId: new PublicKey(tokenProgram) },
      { commitment, ...minSlotOption(minContextSlot) },
    ),
  );
  return value.map(snapshotOf);
}
