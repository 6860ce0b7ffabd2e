import { ComputeBudgetProgram, Keypair, Message, PublicKey } from '@solana/web3.js';
import { expect, it } from 'vitest';

import { createWalletProgram } from '../program/program.ts';
import { compileMessage } from './compile-message.ts';
import { transferUsdc } from './instructions.ts';
import { memoInstruction } from './memo.ts';

const program = createWalletProgram({
  programId: 'bPnk5YbjddraY6VFyhAFS5at5FXNjEtCoDARzTL8jBm',
  usdcMint: '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU',
});
const newAddress = (): string => Keypair.generate().publicKey.toBase58();
const payer = newAddress();
const sessionPubkey = newAddress();
const transfer = (recipient: string) =>
  transferUsdc(program, {
    vault: program.addresses.vaultPda(newAddress()),
    sessionPubkey,
    recipient,
    amount: 1n,
    spendSeq: 2n,
    sessionIndex: 3n,
    spendId: crypto.randomUUID(),
  });

it.each([
  ['a transfer', [transfer(newAddress())]],
  [
    'a transfer with a compute budget and the longest memo',
    [
      ComputeBudgetProgram.setComputeUnitLimit({ units: 30_000 }),
      transfer(newAddress()),
      memoInstruction('m'.repeat(256)),
    ],
  ],
  ['a transfer to the fee payer', [transfer(payer)]],
  ['a transfer to the session key', [transfer(sessionPubkey)]],
  ['no instruction', []],
])('%s has the bytes of the client library', (_case, instructions) => {
  const blockhash = newAddress();
  const payerKey = new PublicKey(payer);
  const theirs = Message.compile({ payerKey, recentBlockhash: blockhash, instructions });
  const ours = compileMessage({ payer, blockhash, instructions });
  expect(ours.equals(theirs.serialize())).toBe(true);
});
