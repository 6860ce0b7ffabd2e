import { writeChainFile } from './chain-file.ts';
import type { ChainEngine } from './engine/chain-engine.ts';
import type { ChainSetUp } from './set-up-chain.ts';

/** What a killed chain loses at most. */
const SAVE_INTERVAL_MS = 5_000;

/** Saves a chain to a file, now and every 5 s; returns the function that saves it for the last time. */
export function keepChain(
  engine: ChainEngine,
  { faucet, programLoaded }: ChainSetUp,
  file: string,
): () => void {
  const save = (): void =>
    writeChainFile(file, {
      chain: engine.save(),
      faucetSecretKey: faucet.secretKey,
      programLoaded,
    });
  save();
  const timer = setInterval(save, SAVE_INTERVAL_MS);
  return () => {
    clearInterval(timer);
    save();
  };
}
