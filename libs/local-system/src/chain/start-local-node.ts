import { createServer, type Server } from 'node:http';
import { Keypair } from '@solana/web3.js';
import { type KeptChain, readChainFile } from './chain-file.ts';
import type { ChainOptions } from './embedded-chain.ts';
import type { EmbeddedNode, StartedNode } from './embedded-node.ts';
import { type ChainEngine, createChainEngine, FINALIZED_SLOTS } from './engine/chain-engine.ts';
import { startSlotTimer } from './engine/slots/slot-timer.ts';
import { keepChain } from './keep-chain.ts';
import { createLocalNode } from './local-node.ts';
import { createHttpServer } from './server/http-server.ts';
import { listenOnLoopback } from './server/listen.ts';
import { type ChainSetUp, setUpChain } from './set-up-chain.ts';
import { serveSubscriptions } from './subscriptions/socket-server.ts';

const UPGRADE_REQUIRED = 426;

/**
 * Starts our own chain: the engine, our programs on it, its slots, and its JSON-RPC on two
 * neighbouring ports. With a file, continues the chain that was saved there, and saves it.
 */
export async function startLocalNode({
  slotTimeMs,
  keepFile,
  genesisHash,
}: Pick<ChainOptions, 'slotTimeMs' | 'keepFile'> & {
  /** That of a public cluster, for tests of what depends on the cluster. */
  readonly genesisHash?: string;
}): Promise<{ readonly node: StartedNode } & ChainSetUp> {
  const kept = keepFile === undefined ? undefined : readChainFile(keepFile);
  const engine = createChainEngine({
    ...(kept && { saved: kept.chain }),
    ...(genesisHash === undefined ? {} : { genesisHash }),
  });
  const local = createLocalNode(engine);
  const setUp = kept === undefined ? await setUpNewChain(engine, local) : setUpOf(kept);
  const stopKeeping = keepFile === undefined ? () => undefined : keepChain(engine, setUp, keepFile);
  const http = createHttpServer(engine);
  const socketsAlone = createServer((_, response) => response.writeHead(UPGRADE_REQUIRED).end());
  const subscriptions = serveSubscriptions(engine, [http, socketsAlone]);
  const port = await listenOnLoopback(http, socketsAlone);
  const stopSlots = startSlotTimer(engine, slotTimeMs);
  const node: StartedNode = {
    ...local,
    rpcUrl: `http://127.0.0.1:${port}`,
    wsUrl: `ws://127.0.0.1:${port + 1}`,
    stop: async () => {
      stopSlots();
      stopKeeping();
      subscriptions.close();
      await Promise.all([http, socketsAlone].map(closeServer));
    },
  };
  return { node, ...setUp };
}

async function setUpNewChain(engine: ChainEngine, node: EmbeddedNode): Promise<ChainSetUp> {
  const setUp = await setUpChain(node);
  // What a chain has from its start is final.
  for (let slot = 0; slot < FINALIZED_SLOTS; slot += 1) engine.advance();
  return setUp;
}

const setUpOf = ({ faucetSecretKey, programLoaded }: KeptChain): ChainSetUp => ({
  faucet: Keypair.fromSecretKey(faucetSecretKey),
  programLoaded,
});

function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => {
    server.close(() => resolve());
  });
}
