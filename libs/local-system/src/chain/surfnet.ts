import { createRequire } from 'node:module';
import { StartError } from '../system/start-error.ts';

const require = createRequire(import.meta.url);

/** The part of the embedded validator's interface used here; its packages have no types. */
export interface Surfnet {
  readonly rpcUrl: string;
  readonly wsUrl: string;
  fundSol(address: string, lamports: number): void;
  /** `data` must be a plain array of bytes. */
  setAccount(address: string, lamports: number, data: number[], owner: string): void;
  deploy(program: { programId: string; soPath: string }): string;
  drainEvents(): unknown[];
  stop(): void;
}

interface SurfnetModule {
  readonly Surfnet: {
    startWithConfig(config: {
      offline: boolean;
      blockProductionMode: 'clock';
      slotTimeMs: number;
    }): Surfnet;
  };
}

// Written out one by one so that the dead-code check sees each package in use.
const packages: Readonly<Record<string, () => unknown>> = {
  'linux-x64': () => require('@solana/surfpool-linux-x64-gnu'),
  'darwin-arm64': () => require('@solana/surfpool-darwin-arm64'),
  'darwin-x64': () => require('@solana/surfpool-darwin-x64'),
};

/** The sentence for a platform without a build of the embedded chain. */
export function noChainSentence(platform: string): string {
  return (
    `There is no embedded chain for ${platform} (there is for ${Object.keys(packages).join(', ')} ` +
    'with glibc): set RPC_URL to a Solana validator.'
  );
}

/**
 * Starts the embedded validator: offline, with a block every `slotTimeMs`. By default it makes a
 * block for each chain transaction, and under load blockhashes expire within seconds. Throws
 * StartError when this platform has no build.
 */
export function startSurfnet(slotTimeMs: number, platform = currentPlatform()): Surfnet {
  const { Surfnet } = load(platform);
  return Surfnet.startWithConfig({ offline: true, blockProductionMode: 'clock', slotTimeMs });
}

function load(platform: string): SurfnetModule {
  const loadPackage = packages[platform];
  if (loadPackage === undefined) throw new StartError(noChainSentence(platform));
  try {
    const loaded = loadPackage();
    if (isSurfnetModule(loaded)) return loaded;
  } catch (error) {
    throw new StartError(noChainSentence(platform), { cause: error });
  }
  throw new StartError(noChainSentence(platform));
}

function isSurfnetModule(value: unknown): value is SurfnetModule {
  return typeof value === 'object' && value !== null && 'Surfnet' in value;
}

function currentPlatform(): string {
  return `${process.platform}-${process.arch}`;
}
