import bs58 from 'bs58';
import {
  type ChainOptions,
  chainOptionsSchema,
  type ChainReady,
  noLocalChainSentence,
} from './embedded-chain.ts';
import type { StartedNode } from './embedded-node.ts';
import { type Served, serveParent } from '../process/parent-channel.ts';
import type { ChainSetUp } from './set-up-chain.ts';
import { StartError } from '../system/start-error.ts';

serveParent(chainOptionsSchema, serveChain);

/** Runs the embedded chain. This process does nothing else: it must answer everybody at once. */
async function serveChain(options: ChainOptions): Promise<Served<ChainReady>> {
  const { node, faucet, programLoaded } = await startNode(options);
  return {
    ready: {
      rpcUrl: node.rpcUrl,
      wsUrl: node.wsUrl,
      faucetSecretKey: bs58.encode(faucet.secretKey),
      programLoaded,
    },
    stop: () => node.stop(),
  };
}

/** Loads only the chain that is wanted: each is a native library. */
async function startNode({
  kind,
  slotTimeMs,
  keepFile,
}: ChainOptions): Promise<{ readonly node: StartedNode } & ChainSetUp> {
  if (kind === 'surfnet') {
    if (keepFile !== undefined) throw new StartError('Surfnet cannot be kept between starts.');
    const { startSurfnetNode } = await import('./surfnet-node.ts');
    return startSurfnetNode(slotTimeMs);
  }
  const { startLocalNode } = await import('./start-local-node.ts').catch((cause: unknown) => {
    throw new StartError(noLocalChainSentence(`${process.platform}-${process.arch}`), { cause });
  });
  return startLocalNode({ slotTimeMs, keepFile });
}
