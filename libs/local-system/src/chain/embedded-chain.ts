import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { startOverChannel } from '../process/parent-channel.ts';
import { startProcess, type SupervisedProcess } from '../process/supervised-process.ts';

const START_TIMEOUT_MS = 60_000;
const STOP_GRACE_MS = 5_000;

/** The options that the supervisor sends to the process that runs the chain. */
export const chainOptionsSchema = z.object({ slotTimeMs: z.int().positive() });

export const chainReadySchema = z.object({
  rpcUrl: z.string(),
  wsUrl: z.string(),
  /** Base58 of 64 bytes: holds SOL and is the mint authority of USDC. */
  faucetSecretKey: z.string(),
  /** False if the program has not been built. */
  programLoaded: z.boolean(),
});

export type ChainOptions = z.infer<typeof chainOptionsSchema>;
export type ChainReady = z.infer<typeof chainReadySchema>;

export interface EmbeddedChain extends ChainReady {
  readonly process: SupervisedProcess;
  stop(): Promise<void>;
}

/**
 * Starts a new Solana chain in a process of its own, with our program and a USDC mint. Its state is
 * in memory and ends with the process that started it. Throws StartError when the platform has no
 * build, the program does not load, or the chain makes no blocks.
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
  const ready = await startOverChannel(
    supervised,
    { slotTimeMs: options.slotTimeMs },
    chainReadySchema,
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
