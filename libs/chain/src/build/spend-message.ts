/** The message of a spend: two compute budget instructions, one of ours, and possibly a memo. */

import { ComputeBudgetProgram } from '@solana/web3.js';

import { compileMessage } from './compile-message.ts';
import { memoInstruction } from './memo.ts';
import type { WalletProgram } from '../program/program.ts';
import { instructionOf, type SpendAction } from './spend-action.ts';

/** The transaction that a row requires. The price is in micro-lamports per compute unit. */
export type SpendIntent = SpendAction & {
  readonly feePayer: string;
  readonly blockhash: string;
  readonly computeUnitLimit: number;
  readonly computeUnitPrice: bigint;
  /** Set for a payment that an x402 facilitator sends and pays the fee for. */
  readonly facilitated?: { readonly memo: string };
};

const VERSION_0 = 0x80;
const NO_LOOKUPS = 0;

/**
 * The message to sign; the same intent gives the same bytes. Ours are legacy messages. x402
 * requires version 0, which without lookup tables is the legacy message between two more bytes.
 */
export function buildSpendMessage(program: WalletProgram, intent: SpendIntent): Uint8Array {
  const { facilitated } = intent;
  const message = compileMessage({
    payer: intent.feePayer,
    blockhash: intent.blockhash,
    instructions: [
      ComputeBudgetProgram.setComputeUnitLimit({ units: intent.computeUnitLimit }),
      ComputeBudgetProgram.setComputeUnitPrice({ microLamports: intent.computeUnitPrice }),
      instructionOf(program, intent),
      ...(facilitated === undefined ? [] : [memoInstruction(facilitated.memo)]),
    ],
  });
  return Uint8Array.from(facilitated === undefined ? message : [VERSION_0, ...message, NO_LOOKUPS]);
}

/** The legacy message in the bytes of {@link buildSpendMessage}; null for the other form. */
export function legacyPartOf(
  bytes: Buffer,
  { facilitated }: Pick<SpendIntent, 'facilitated'>,
): Buffer | null {
  const first = bytes[0] ?? VERSION_0;
  // A set high bit marks a versioned message, which could include accounts from lookup tables.
  if (facilitated === undefined) return first < VERSION_0 ? bytes : null;
  return first === VERSION_0 && bytes.at(-1) === NO_LOOKUPS ? bytes.subarray(1, -1) : null;
}

/** Wire bytes of a message with two signers and zeroed signatures, for simulation. */
export function unsignedWire(messageBytes: Uint8Array): Uint8Array {
  return Uint8Array.from(Buffer.concat([Buffer.from([2]), Buffer.alloc(128), messageBytes]));
}
