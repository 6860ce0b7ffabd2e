import { createHash } from 'node:crypto';
import type { Rpc } from '@agent-wallet/chain';
import { AppError } from '@agent-wallet/errors';
import type { Logger } from '@agent-wallet/process';
import type { Signer } from '@agent-wallet/signer';
import type { FeePayerBalance } from '@agent-wallet/spend';
import type { Metrics } from '../metrics.ts';

export type FeePayers = {
  /**
   * The payer of a session's spend. Throws FEE_PAYERS_EMPTY when every candidate is below its
   * floor; the spend itself is not at fault.
   */
  readonly payerOf: (sessionId: string, recipient: string | null) => Signer;
  /** Whether an address is one of the pool. */
  readonly has: (address: string) => boolean;
  /** Reads the balances. Throws RPC_UNAVAILABLE; the last known balances then stay. */
  readonly refresh: () => Promise<void>;
};

type FeePayersDeps = {
  readonly signers: readonly Signer[];
  readonly floorLamports: bigint;
  readonly rpc: Pick<Rpc, 'accounts'>;
  readonly log: Logger;
  readonly metrics: Pick<Metrics, 'feePayersBelowFloor' | 'feePayerLamports'>;
  /** Gets the balances after each read. */
  readonly recordBalances: (balances: readonly FeePayerBalance[]) => Promise<void>;
};

/**
 * Spreads sessions over a pool of fee payers: a single payer would be write-locked by every spend.
 * A session keeps its payer while that can pay, unless it is the recipient of the spend: a fee
 * payer appears in no instruction. A payer of unknown balance is used; at worst its transaction
 * fails.
 */
export function createFeePayers(deps: FeePayersDeps): FeePayers {
  const pool = deps.signers;
  const belowFloor = new Set<string>();

  function record(address: string, place: number, lamports: bigint): void {
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
        if (candidate !== undefined && !belowFloor.has(candidate.address)) return candidate;
      }
      throw new AppError('FEE_PAYERS_EMPTY', { payers: candidates.length });
    },
    refresh: async () => {
      const addresses = pool.map(({ address }) => address);
      const { accounts } = await deps.rpc.accounts(addresses, { commitment: 'confirmed' });
      const { floorLamports } = deps;
      const balances = addresses.map((address, place) => ({
        address,
        lamports: accounts[place]?.lamports ?? 0n,
        floorLamports,
      }));
      for (const [place, { address, lamports }] of balances.entries()) {
        record(address, place, lamports);
      }
      deps.metrics.feePayersBelowFloor.set(belowFloor.size);
      await deps.recordBalances(balances);
    },
  };
}
