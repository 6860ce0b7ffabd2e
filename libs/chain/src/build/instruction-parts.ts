/** The common parts of our program's instructions. Arguments go through the IDL coder. */

import { type PublicKey, TransactionInstruction, type AccountMeta } from '@solana/web3.js';

import { publicKeyOf } from '../program/addresses.ts';
import { BN } from '../program/big-number.ts';
import { hexOfSpendId } from '../program/events.ts';
import { coder } from '../program/idl.ts';
import type { WalletProgram } from '../program/program.ts';

/** The amount by which the owner withdraws all there is. */
export const EVERYTHING = 2n ** 64n - 1n;

/** The rights of an instruction on an account. */
type Flags = 'readonly' | 'writable' | 'signer' | 'writable signer';

export const account = (address: string | PublicKey, flags: Flags): AccountMeta => ({
  pubkey: typeof address === 'string' ? publicKeyOf(address) : address,
  isSigner: flags.endsWith('signer'),
  isWritable: flags.startsWith('writable'),
});

export const spendIdBytes = (spendId: string): number[] => [
  ...Buffer.from(hexOfSpendId(spendId), 'hex'),
];

// Decimal text is the one form that both big-number types share.
export const u64 = (value: bigint): unknown => new BN(value.toString());
/** One call of our program; adds the two accounts that each instruction has last. */
export function instruction(
  program: WalletProgram,
  name: string,
  accounts: readonly AccountMeta[],
  args: Record<string, unknown>,
): TransactionInstruction {
  const { programId, addresses } = program;
  return new TransactionInstruction({
    programId: publicKeyOf(programId),
    keys: [
      ...accounts,
      account(addresses.eventAuthority, 'readonly'),
      account(programId, 'readonly'),
    ],
    data: coder.instruction.encode(name, args),
  });
}
