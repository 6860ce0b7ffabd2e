import { createServer, type Server } from 'node:http';
import type { StartedNode } from './embedded-node.ts';
import { createChainEngine, FINALIZED_SLOTS } from './engine/chain-engine.ts';
import { startSlotTimer } from './engine/slot-timer.ts';
import { createLocalNode } from './local-node.ts';
import { createHttpServer } from './server/http-server.ts';
import { listenOnLoopback } from './server/listen.ts';
import { type ChainSetUp, setUpChain } from './set-up-chain.ts';
import { serveSubscriptions } from './subscriptions/socket-server.ts';

const UPGRADE_REQUIRED = 426;

/**
 * Starts our own chain: the engine, our programs on it, its slots, and its JSON-RPC on two
 * neighbouring ports.
 */
export async function startLocalNode(
  slotTimeMs: number,
): Promise<{ readonly node: StartedNode } & ChainSetUp> {
  const engine = createChainEngine();
  const local = createLocalNode(engine);
  const setUp = await setUpChain(local);
  // What a chain has from its start is final.
  for (let slot = 0; slot < FINALIZED_SLOTS; slot += 1) engine.advance();
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
      subscriptions.close();
      await Promise.all([http, socketsAlone].map(closeServer));
    },
  };
  return { node, ...setUp };
}

function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => {
    server.close(() => resolve());
  });
}
