import { createInitializeMint2Instruction, MINT_SIZE, TOKEN_PROGRAM_ID } from '@solana/spl-token';
import { type Keypair, type PublicKey, SystemProgram } from '@solana/web3.js';
import type { Talk } from '../talk.ts';
import { SOL } from './instructions.ts';

export const DECIMALS = 6;

/** Makes a mint with the same bytes on every chain, and waits until it is final. */
export async function createMint(
  talk: Talk,
  keys: { readonly payer: Keypair; readonly mint: Keypair; readonly authority: PublicKey },
): Promise<void> {
  const { payer, mint, authority } = keys;
  const signed = await talk.sign({
    name: 'a new mint',
    payer,
    others: [mint],
    instructions: [
      SystemProgram.createAccount({
        fromPubkey: payer.publicKey,
        newAccountPubkey: mint.publicKey,
        lamports: SOL / 100,
        space: MINT_SIZE,
        programId: TOKEN_PROGRAM_ID,
      }),
      createInitializeMint2Instruction(mint.publicKey, DECIMALS, authority, null),
    ],
  });
  await talk.send(signed);
  await talk.landed(signed, 'finalized');
}
