import { setTimeout as delay } from 'node:timers/promises';
import { Connection, type Keypair, SystemProgram, Transaction } from '@solana/web3.js';
import { drawWhole } from '../../support/rpc-proxy/draw.ts';
import type { Disturb } from '../row.ts';

const SOL = 1_000_000_000;
const FEE_LAMPORTS = 5_000;
const FULL_MS = [2_000, 6_000] as const;
const EMPTY_MS = [3_000, 9_000] as const;

/** Drains the only fee payer at random moments and refills it later. */
export function emptyFeePayer(payer: Keypair): Disturb {
  return async (world, _cast, { signal, seed }) => {
    const { faucet, urls } = world.system;
    const connection = new Connection(urls.rpc, 'confirmed');
    try {
      for (let n = 1; !signal.aborted; n += 1) {
        await faucet.sol(payer.publicKey, SOL);
        await delay(drawWhole(FULL_MS, seed, 'full', n));
        if (signal.aborted) return;
        await drain(connection, payer);
        world.countFault();
        await delay(drawWhole(EMPTY_MS, seed, 'empty', n));
      }
    } finally {
      await faucet.sol(payer.publicKey, SOL);
    }
  };
}

/** Sends all but a reserve to an unused address. Spends under way take fees meanwhile. */
async function drain(connection: Connection, payer: Keypair): Promise<void> {
  const balance = await connection.getBalance(payer.publicKey);
  const spare = 40 * 2 * FEE_LAMPORTS;
  if (balance <= spare) return;
  const { blockhash } = await connection.getLatestBlockhash();
  const transaction = new Transaction({ feePayer: payer.publicKey, recentBlockhash: blockhash });
  transaction.add(
    SystemProgram.transfer({
      fromPubkey: payer.publicKey,
      toPubkey: SystemProgram.programId,
      lamports: balance - spare,
    }),
  );
  transaction.sign(payer);
  await connection.sendRawTransaction(transaction.serialize(), { skipPreflight: true });
}
