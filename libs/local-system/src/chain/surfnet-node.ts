import { setTimeout as delay } from 'node:timers/promises';
import { Connection } from '@solana/web3.js';
import type { StartedNode } from './embedded-node.ts';
import { createSendAndConfirm } from './send-and-confirm.ts';
import { type ChainSetUp, setUpChain } from './set-up-chain.ts';
import { StartError } from '../system/start-error.ts';
import { startSurfnet } from './surfnet.ts';

const DRAIN_INTERVAL_MS = 50;
const WARM_UP_TIMEOUT_MS = 20_000;
const WARM_UP_SLOTS = 2;

/** Starts Surfnet, waits until it makes blocks, and sets the chain up. Throws StartError. */
export async function startSurfnetNode(
  slotTimeMs: number,
): Promise<{ readonly node: StartedNode } & ChainSetUp> {
  const surfnet = startSurfnet(slotTimeMs);
  // Without draining, its event buffer fills after a few hundred sends and blocks this process.
  const drain = setInterval(() => surfnet.drainEvents(), DRAIN_INTERVAL_MS);
  const connection = new Connection(surfnet.rpcUrl, 'confirmed');
  await warmUp(connection);
  const node: StartedNode = {
    connection,
    sendAndConfirm: (payer) => createSendAndConfirm(connection, payer),
    rpcUrl: surfnet.rpcUrl,
    wsUrl: surfnet.wsUrl,
    fundSol: (address, lamports) => surfnet.fundSol(address, lamports),
    setAccount: (address, lamports, data, owner) =>
      surfnet.setAccount(address, lamports, [...data], owner),
    deploy: (program) => surfnet.deploy(program),
    stop: async () => {
      clearInterval(drain);
      surfnet.stop();
    },
  };
  return { node, ...(await setUpChain(node)) };
}

/** Shortly after the start the height jumps back once; waits until it advances steadily. */
async function warmUp(connection: Connection): Promise<void> {
  const deadline = Date.now() + WARM_UP_TIMEOUT_MS;
  let before = Number.POSITIVE_INFINITY;
  let advances = 0;
  while (Date.now() < deadline) {
    const blockHeight = await connection.getBlockHeight('processed');
    if (blockHeight > before) advances += 1;
    if (blockHeight < before) advances = 0;
    if (advances >= WARM_UP_SLOTS) return;
    before = blockHeight;
    await delay(20);
  }
  throw new StartError(`The embedded chain made no blocks in ${WARM_UP_TIMEOUT_MS / 1000} s.`);
}
