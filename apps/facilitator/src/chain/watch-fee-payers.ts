import type { Rpc } from '@agent-wallet/chain';
import type { Logger } from '@agent-wallet/process';
import type { Metrics } from '../metrics.ts';

const EVERY_MS = 10_000;

export type FeePayerWatch = {
  /** One pass; returns the delay until the next. Throws RPC_UNAVAILABLE. */
  readonly run: () => Promise<number>;
  /** False while every fee payer is known to be below its floor. */
  readonly canPay: () => boolean;
};

/** Reads the balances of the fee payers, and reports those that need SOL. */
export function createFeePayerWatch({
  addresses,
  floorLamports,
  rpc,
  log,
  metrics,
}: {
  readonly addresses: readonly string[];
  readonly floorLamports: bigint;
  readonly rpc: Pick<Rpc, 'accounts'>;
  readonly log: Logger;
  readonly metrics: Pick<Metrics, 'feePayerLamports' | 'feePayersBelowFloor'>;
}): FeePayerWatch {
  let below: ReadonlySet<string> = new Set();
  return {
    canPay: () => below.size < addresses.length,
    run: async () => {
      const { accounts } = await rpc.accounts(addresses, { commitment: 'confirmed' });
      const balances = addresses.map((_address, place) => accounts[place]?.lamports ?? 0n);
      for (const [place, lamports] of balances.entries()) {
        metrics.feePayerLamports.set({ payer: String(place) }, Number(lamports));
      }
      const low = addresses.filter((_address, place) => (balances[place] ?? 0n) < floorLamports);
      for (const payer of low) {
        if (!below.has(payer)) log.error({ payer }, 'a fee payer is below its floor: send it SOL');
      }
      below = new Set(low);
      metrics.feePayersBelowFloor.set(below.size);
      return EVERY_MS;
    },
  };
}
