/** The account that airdrops are paid from. */

import { randomBytes } from 'node:crypto';
import {
  ComputeBudgetProgram,
  Keypair,
  PublicKey,
  SystemProgram,
  Transaction,
} from '@solana/web3.js';
import bs58 from 'bs58';
import type { AccountState } from './account-state.ts';
import { seededHash } from '../slots/blockhashes.ts';
import { parseTransaction, type WireTransaction } from '../transactions/wire-transaction.ts';

const LAMPORTS = 9_000_000n * 1_000_000_000n;
/** More than two transfers take. */
const COMPUTE_UNITS = 1_000;

export type Treasury = {
  readonly address: string;
  readonly account: AccountState;
  /** 32 bytes: the key's seed. */
  readonly secret: Uint8Array;
  /** A signed transfer; no two are the same transaction. */
  transfer(to: string, lamports: number, blockhash: Uint8Array): WireTransaction;
};

/** With a secret, the same treasury as the one that had it. */
export function createTreasury(seed?: string, known?: Uint8Array): Treasury {
  const secret = known ?? (seed === undefined ? randomBytes(32) : seededHash(seed, 'treasury'));
  const payer = Keypair.fromSeed(secret);
  let transfers = 0;
  return {
    secret,
    address: payer.publicKey.toBase58(),
    account: {
      lamports: LAMPORTS,
      data: new Uint8Array(),
      owner: SystemProgram.programId.toBase58(),
      executable: false,
      rentEpoch: 0n,
    },
    transfer(to, lamports, blockhash) {
      transfers += 1;
      const transaction = new Transaction({
        feePayer: payer.publicKey,
        recentBlockhash: bs58.encode(blockhash),
      });
      transaction.add(
        // Equal airdrops with one blockhash would be one transaction; the limit tells them apart.
        ComputeBudgetProgram.setComputeUnitLimit({ units: COMPUTE_UNITS + transfers }),
        SystemProgram.transfer({
          fromPubkey: payer.publicKey,
          toPubkey: new PublicKey(to),
          lamports,
        }),
      );
      transaction.sign(payer);
      return parseTransaction(transaction.serialize());
    },
  };
}
