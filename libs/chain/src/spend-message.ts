/** The one message that a spend is: two compute budget instructions and one of ours. */

import { ComputeBudgetProgram, Message, PublicKey } from '@solana/web3.js';

import type { WalletProgram } from './program.ts';
import { instructionOf } from './spend-action.ts';
import type { SpendAction } from './spend-action.ts';

/** What a row says its transaction must do. The price is in micro-lamports per compute unit. */
export type SpendIntent = SpendAction & {
  readonly feePayer: string;
  readonly blockhash: string;
  readonly computeUnitLimit: number;
  readonly computeUnitPrice: bigint;
};

/** The legacy message to be signed; the same intent gives the same bytes. */
export function buildSpendMessage(program: WalletProgram, intent: SpendIntent): Uint8Array {
  const message = Message.compile({
    payerKey: new PublicKey(intent.feePayer),
    recentBlockhash: intent.blockhash,
    instructions: [
      ComputeBudgetProgram.setComputeUnitLimit({ units: intent.computeUnitLimit }),
      ComputeBudgetProgram.setComputeUnitPrice({ microLamports: intent.computeUnitPrice }),
      instructionOf(program, intent),
    ],
  });
  return new Uint8Array(message.serialize());
}
