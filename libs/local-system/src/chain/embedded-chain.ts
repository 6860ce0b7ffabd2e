import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { startOverChannel } from '../process/parent-channel.ts';
import { StartError } from '../system/start-error.ts';
import { startProcess, type SupervisedProcess } from '../process/supervised-process.ts';

const START_TIMEOUT_MS = 60_000;
const STOP_GRACE_MS = 5_000;

/** `litesvm` is the chain of ./engine; `surfnet` is a second opinion, where it has a build. */
const chainKindSchema = z.enum(['litesvm', 'surfnet']);

/** The options that the supervisor sends to the process that runs the chain. */
export const chainOptionsSchema = z.object({
  kind: chainKindSchema,
  slotTimeMs: z.int().positive(),
  /** The chain that was saved in this file goes on, and is saved there. */
  keepFile: z.string().optional(),
});

export const chainReadySchema = z.object({
  rpcUrl: z.string(),
  wsUrl: z.string(),
  /** Base58 of 64 bytes: holds SOL and is the mint authority of USDC. */
  faucetSecretKey: z.string(),
  /** False if the program has not been built. */
  programLoaded: z.boolean(),
});

export type ChainKind = z.infer<typeof chainKindSchema>;
export type ChainOptions = z.infer<typeof chainOptionsSchema>;
export type ChainReady = z.infer<typeof chainReadySchema>;

export interface EmbeddedChain extends ChainReady {
  readonly process: SupervisedProcess;
  stop(): Promise<void>;
}

export interface EmbeddedChainOptions {
  readonly slotTimeMs: number;
  readonly logFile: string;
  /** A file in which the chain is kept between starts. */
  readonly keepFile?: string;
  /** By default what `LOCAL_CHAIN` names. */
  readonly kind?: ChainKind;
}

/** The sentence for a platform without a build of LiteSVM. */
export function noLocalChainSentence(platform: string): string {
  return `There is no embedded chain for ${platform}: set RPC_URL to a Solana validator.`;
}

/**
 * Starts a new Solana chain in a process of its own, with our program and a USDC mint. Its state is
 * in memory and ends with the process that started it, unless it is kept in a file. Throws
 * StartError when the platform has no build, the program does not load, or the chain makes no
 * blocks.
 */
export async function startEmbeddedChain(options: EmbeddedChainOptions): Promise<EmbeddedChain> {
  const supervised = startProcess({
    name: 'chain',
    entry: fileURLToPath(new URL('./chain-process.ts', import.meta.url)),
    env: {},
    logFile: options.logFile,
    exitsWithParent: false,
  });
  const ready = await startOverChannel(
    supervised,
    {
      kind: options.kind ?? kindFromEnvironment(),
      slotTimeMs: options.slotTimeMs,
      keepFile: options.keepFile,
    },
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

function kindFromEnvironment(): ChainKind {
  const parsed = chainKindSchema.safeParse(process.env['LOCAL_CHAIN'] ?? 'litesvm');
  if (parsed.success) return parsed.data;
  throw new StartError(`LOCAL_CHAIN is neither ${chainKindSchema.options.join(' nor ')}.`);
}
