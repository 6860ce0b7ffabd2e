import { createHash } from 'node:crypto';
import type { Keypair } from '@solana/web3.js';

/**
 * Spreads sessions over a pool of fee payers: one payer for all would be write-locked by every
 * spend. A session always has the same one, unless it is the recipient of the spend at hand: a fee
 * payer stands in no instruction.
 */
export function createFeePayers(
  pool: readonly Keypair[],
): (sessionId: string, recipient: string) => Keypair {
  return (sessionId, recipient) => {
    const payers = pool.filter(({ publicKey }) => publicKey.toBase58() !== recipient);
    const digest = createHash('sha256').update(sessionId).digest();
    const payer = payers[digest.readUInt32BE(0) % payers.length];
    if (payer === undefined) throw new RangeError('the pool of fee payers is empty');
    return payer;
  };
}
