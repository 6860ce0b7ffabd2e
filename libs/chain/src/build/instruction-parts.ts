/** What all instructions of our program are made of; arguments go through the IDL coder. */

import { BN } from '@coral-xyz/anchor';
import { PublicKey, TransactionInstruction, type AccountMeta } from '@solana/web3.js';

import { hexOfSpendId } from '../program/events.ts';
import { coder } from '../program/idl.ts';
import type { WalletProgram } from '../program/program.ts';

/** An amount that stands for all there is, where the owner withdraws. */
export const EVERYTHING = 2n ** 64n - 1n;

/** What a transaction lets an instruction do with an account. */
type Flags = 'readonly' | 'writable' | 'signer' | 'writable signer';

export const account = (address: string | PublicKey, flags: Flags): AccountMeta => ({
  pubkey: new PublicKey(address),
  isSigner: flags.endsWith('signer'),
  isWritable: flags.startsWith('writable'),
});

export const spendIdBytes = (spendId: string): number[] => [
  ...Buffer.from(hexOfSpendId(spendId), 'hex'),
];

// Decimal text is the one form that both kinds of big number agree on.
export const u64 = (value: bigint): unknown => new BN(value.toString());
/** One call of our program; the two accounts that every instruction has last are added here. */
export function instruction(
  program: WalletProgram,
  name: string,
  accounts: readonly AccountMeta[],
  args: Record<string, unknown>,
): TransactionInstruction {
  const { programId, addresses } = program;
  return new TransactionInstruction({
    programId: new PublicKey(programId),
    keys: [
      ...accounts,
      account(addresses.eventAuthority, 'readonly'),
      account(programId, 'readonly'),
    ],
    data: coder.instruction.encode(name, args),
  });
}
