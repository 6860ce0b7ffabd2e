/** The expected bytes of a transfer. */

import { TOKEN_PROGRAM_ID } from '@solana/spl-token';

import { hexOfSpendId } from '../program/events.ts';
import {
  discriminatorOf,
  readonly,
  signer,
  u64,
  writable,
  type ExpectedInstruction,
} from './expected-instruction.ts';
import type { TransferArgs } from '../build/instructions.ts';
import type { WalletProgram } from '../program/program.ts';

const DISCRIMINATOR = discriminatorOf('transfer_usdc');

/** The instruction that moves exactly this amount to this recipient, with this number and id. */
export function expectedTransfer(program: WalletProgram, args: TransferArgs): ExpectedInstruction {
  const { programId, usdcMint, addresses } = program;
  return {
    program: programId,
    accounts: [
      signer(args.sessionPubkey),
      readonly(args.vault),
      writable(addresses.sessionPda(args.vault, args.sessionPubkey)),
      writable(addresses.usdcAta(args.vault)),
      readonly(args.recipient),
      writable(addresses.usdcAta(args.recipient)),
      readonly(usdcMint),
      readonly(TOKEN_PROGRAM_ID.toBase58()),
      readonly(addresses.eventAuthority),
      readonly(programId),
    ],
    data: Buffer.concat([
      DISCRIMINATOR,
      u64(args.amount),
      u64(args.spendSeq),
      u64(args.sessionIndex),
      Buffer.from(hexOfSpendId(args.spendId), 'hex'),
      Buffer.of(addresses.ataBump(args.recipient, usdcMint)),
    ]),
  };
}
