import { Buffer } from 'node:buffer';
import { localProgramId } from '@agent-wallet/local-system/chain/chain-facts.ts';
import { PublicKey, SystemProgram, TransactionInstruction } from '@solana/web3.js';

export const SOL = 1_000_000_000;

export const pay = (from: PublicKey, to: PublicKey, lamports: number): TransactionInstruction =>
  SystemProgram.transfer({ fromPubkey: from, toPubkey: to, lamports });

/** An instruction that our program does not have: it fails with `Custom: 101`. */
export const unknownInstruction = (): TransactionInstruction =>
  new TransactionInstruction({
    programId: new PublicKey(localProgramId()),
    keys: [],
    data: Buffer.alloc(8, 0xff),
  });

/** A call of an address with arbitrary data. */
export const callOf = (programId: PublicKey): TransactionInstruction =>
  new TransactionInstruction({ programId, keys: [], data: Buffer.alloc(4) });
