/** The one message that a transfer is: two compute budget instructions and one of ours. */

import { ComputeBudgetProgram, Message, PublicKey } from '@solana/web3.js';

import { transferUsdc } from './instructions.ts';
import type { TransferArgs } from './instructions.ts';
import type { WalletProgram } from './program.ts';

/**
 * What a row says its transaction must do. Addresses in base58, amount in base units, `spendId` a
 * uuid, the price in micro-lamports per compute unit.
 */
export type SpendIntent = TransferArgs & {
  readonly feePayer: string;
  readonly blockhash: string;
  readonly computeUnitLimit: number;
  readonly computeUnitPrice: bigint;
};

/** The accounts that the transfer locks for writing, as base58. */
export function writableAccountsOf(
  program: WalletProgram,
  intent: Pick<SpendIntent, 'feePayer' | 'vault' | 'sessionPubkey' | 'recipient'>,
): readonly string[] {
  const { addresses } = program;
  const { feePayer, vault, sessionPubkey, recipient } = intent;
  return [
    feePayer,
    addresses.sessionPda(vault, sessionPubkey),
    addresses.usdcAta(vault),
    addresses.usdcAta(recipient),
  ];
}

/** The legacy message to be signed; the same intent gives the same bytes. */
export function buildSpendMessage(program: WalletProgram, intent: SpendIntent): Uint8Array {
  const message = Message.compile({
    payerKey: new PublicKey(intent.feePayer),
    recentBlockhash: intent.blockhash,
    instructions: [
      ComputeBudgetProgram.setComputeUnitLimit({ units: intent.computeUnitLimit }),
      ComputeBudgetProgram.setComputeUnitPrice({ microLamports: intent.computeUnitPrice }),
      transferUsdc(program, intent),
    ],
  });
  return new Uint8Array(message.serialize());
}
