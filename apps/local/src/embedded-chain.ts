import { fileURLToPath } from 'node:url';
import { startOverChannel } from './parent-channel.ts';
import { startProcess, type SupervisedProcess } from './supervised-process.ts';

const START_TIMEOUT_MS = 60_000;
const STOP_GRACE_MS = 5_000;

/** What the supervisor tells the process that runs the chain. */
export interface ChainOptions {
  readonly slotTimeMs: number;
}

export interface ChainReady {
  readonly rpcUrl: string;
  readonly wsUrl: string;
  /** Base58 of 64 bytes: holds SOL and is the mint authority of USDC. */
  readonly faucetSecretKey: string;
  /** False if the program has not been built. */
  readonly programLoaded: boolean;
}

export interface EmbeddedChain extends ChainReady {
  readonly process: SupervisedProcess;
  stop(): Promise<void>;
}

/**
 * Starts a Solana chain of its own in a process of its own, with our program and a USDC mint. Its
 * state is in memory: it begins anew with every start. It ends with the process that started it.
 * @throws StartError when the platform has no build, the program does not load, or no blocks come.
 */
export async function startEmbeddedChain(
  options: ChainOptions & { readonly logFile: string },
): Promise<EmbeddedChain> {
  const supervised = startProcess({
    name: 'chain',
    entry: fileURLToPath(new URL('./chain-process.ts', import.meta.url)),
    env: {},
    logFile: options.logFile,
    exitsWithParent: false,
  });
  const ready = await startOverChannel<ChainOptions, ChainReady>(
    supervised,
    { slotTimeMs: options.slotTimeMs },
    START_TIMEOUT_MS,
  );
  return {
    ...ready,
    process: supervised,
    stop: async () => {
      await supervised.stop(STOP_GRACE_MS);
    },
  };
}
