import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { SystemProgram } from '@solana/web3.js';
import type { EmbeddedNode } from './embedded-node.ts';
import type { AccountState } from './engine/account-state.ts';
import { createChainEngine } from './engine/chain-engine.ts';
import { startSlotTimer } from './engine/slot-timer.ts';
import { createHttpServer } from './server/http-server.ts';
import { listenOnLoopback } from './server/listen.ts';
import { serveSubscriptions } from './subscriptions/socket-server.ts';

const UPGRADE_REQUIRED = 426;

/** Starts our own chain: the engine, its slots, and its JSON-RPC on two neighbouring ports. */
export async function startLocalNode(slotTimeMs: number): Promise<EmbeddedNode> {
  const engine = createChainEngine();
  const http = createHttpServer(engine);
  const socketsAlone = createServer((_, response) => response.writeHead(UPGRADE_REQUIRED).end());
  const subscriptions = serveSubscriptions(engine, [http, socketsAlone]);
  const port = await listenOnLoopback(http, socketsAlone);
  const stopSlots = startSlotTimer(engine, slotTimeMs);
  return {
    rpcUrl: `http://127.0.0.1:${port}`,
    wsUrl: `ws://127.0.0.1:${port + 1}`,
    fundSol: (address, lamports) =>
      engine.setAccount(address, accountOf(lamports, [], SystemProgram.programId.toBase58())),
    setAccount: (address, lamports, data, owner) =>
      engine.setAccount(address, accountOf(lamports, data, owner)),
    deploy: ({ programId, soPath }) => engine.addProgram(programId, readFileSync(soPath)),
    stop: async () => {
      stopSlots();
      subscriptions.close();
      await Promise.all([http, socketsAlone].map(closeServer));
    },
  };
}

function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => {
    server.close(() => resolve());
  });
}

function accountOf(lamports: number, data: readonly number[], owner: string): AccountState {
  const bytes = Uint8Array.from(data);
  return { lamports: BigInt(lamports), data: bytes, owner, executable: false, rentEpoch: 0n };
}
