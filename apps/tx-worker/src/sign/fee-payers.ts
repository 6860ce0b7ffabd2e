import { createHash } from 'node:crypto';
import type { Rpc } from '@agent-wallet/chain';
import { AppError } from '@agent-wallet/errors';
import type { Logger } from '@agent-wallet/process';
import type { Keypair } from '@solana/web3.js';
import type { Metrics } from '../metrics.ts';

export type FeePayers = {
  /**
   * The payer of a session's spend. Throws FEE_PAYERS_EMPTY when each that could pay is below its
   * floor: that is not the spend's fault.
   */
  readonly payerOf: (sessionId: string, recipient: string | null) => Keypair;
  /** Whether an address is one of the pool. */
  readonly has: (address: string) => boolean;
  /** Looks at the balances anew; throws RPC_UNAVAILABLE, then the last known ones stand. */
  readonly refresh: () => Promise<void>;
};

type FeePayersDeps = {
  readonly keys: readonly Keypair[];
  readonly floorLamports: bigint;
  readonly rpc: Pick<Rpc, 'accounts'>;
  readonly log: Logger;
  readonly metrics: Pick<Metrics, 'feePayersBelowFloor' | 'feePayerLamports'>;
};

/**
 * Spreads sessions over a pool of fee payers: one payer for all would be write-locked by every
 * spend. A session has the same one as long as that can pay, unless it is the recipient of the
 * spend at hand: a fee payer stands in no instruction. A payer whose balance is not known yet is
 * used; at worst its transaction is not taken.
 */
export function createFeePayers(deps: FeePayersDeps): FeePayers {
  const pool = deps.keys.map((keypair) => ({ keypair, address: keypair.publicKey.toBase58() }));
  const belowFloor = new Set<string>();

  function note(address: string, place: number, lamports: bigint): void {
    deps.metrics.feePayerLamports.set({ payer: String(place) }, Number(lamports));
    const facts = { payer: address, lamports: String(lamports) };
    if (lamports >= deps.floorLamports) {
      if (belowFloor.delete(address)) deps.log.info(facts, 'a fee payer can pay again');
      return;
    }
    if (belowFloor.has(address)) return;
    belowFloor.add(address);
    deps.log.error(facts, 'a fee payer is below its floor and not used: send it SOL');
  }

  return {
    has: (address) => pool.some((one) => one.address === address),
    payerOf: (sessionId, recipient) => {
      const candidates = pool.filter(({ address }) => address !== recipient);
      if (candidates.length === 0) throw new RangeError('the pool of fee payers is empty');
      const first = createHash('sha256').update(sessionId).digest().readUInt32BE(0);
      // Only the sessions of an empty payer move on to the next one.
      for (let step = 0; step < candidates.length; step += 1) {
        const candidate = candidates[(first + step) % candidates.length];
        if (candidate !== undefined && !belowFloor.has(candidate.address)) return candidate.keypair;
      }
      throw new AppError('FEE_PAYERS_EMPTY', { payers: candidates.length });
    },
    refresh: async () => {
      const addresses = pool.map(({ address }) => address);
      const { accounts } = await deps.rpc.accounts(addresses, { commitment: 'confirmed' });
      for (const [place, address] of addresses.entries()) {
        note(address, place, accounts[place]?.lamports ?? 0n);
      }
      deps.metrics.feePayersBelowFloor.set(belowFloor.size);
    },
  };
}
