import { createHash } from 'node:crypto';
import type { Keypair } from '@solana/web3.js';

/**
 * Spreads sessions over a pool of fee payers: one payer for all would be write-locked by every
 * spend. A session always has the same one.
 */
export function createFeePayers(payers: readonly Keypair[]): (sessionId: string) => Keypair {
  return (sessionId) => {
    const digest = createHash('sha256').update(sessionId).digest();
    const payer = payers[digest.readUInt32BE(0) % payers.length];
    if (payer === undefined) throw new RangeError('the pool of fee payers is empty');
    return payer;
  };
}
