import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { optionsFromEnvironment } from '../system/environment.ts';
import { openKeptSystem } from '../system/kept-system.ts';
import {
  announceRunningSystem,
  findRunningSystem,
  forgetRunningSystem,
  LOCAL_DIR,
} from '../system/running-system.ts';
import { StartError } from '../system/start-error.ts';
import { startSystem } from '../system/start-system.ts';
import type { System } from '../system/system.ts';
import { listenForStop } from './stop-listener.ts';

/**
 * Starts the system that the environment describes, prints its addresses, and stops it at the first
 * Ctrl-C (or SIGTERM, or when the launcher exits). A process of the wallet that ends is started
 * again. A kept system goes on where its last start ended. Throws StartError if it cannot start,
 * runs already, or has lost Postgres, the chain, or a process that ends again and again.
 */
export async function runUntilStopped(
  environment: Readonly<Record<string, string | undefined>>,
  { isKept = false }: { readonly isKept?: boolean } = {},
): Promise<void> {
  const already = await findRunningSystem();
  if (already !== undefined) {
    throw new StartError(
      `A system of this clone is running already (process ${already.pid}, ${already.urls.api}).`,
    );
  }
  const stop = listenForStop();
  const died = Promise.withResolvers<string>();
  rmSync(join(LOCAL_DIR, 'logs'), { recursive: true, force: true });
  const kept = isKept ? openKeptSystem(join(LOCAL_DIR, 'kept')) : undefined;
  await using system = await startSystem({
    ...optionsFromEnvironment(environment),
    ...(kept && { keep: kept }),
    dataDir: LOCAL_DIR,
    paidServices: true,
    restarts: true,
    log: console.log,
    onDeath: (_name, sentence) => died.resolve(sentence),
  });
  stop.begun();
  kept?.begun();
  announceRunningSystem(system);
  console.log(welcome(system));
  const stopped = once(stop.signal, 'abort').then(() => undefined);
  const death = await Promise.race([stopped, died.promise]);
  forgetRunningSystem();
  console.log('stopping …');
  await system.stop();
  if (death !== undefined) throw new StartError(death);
}

function welcome(system: System): string {
  const { facilitator } = system.urls;
  return [
    '',
    `api     ${system.urls.api}`,
    `page    ${system.urls.dashboard}`,
    `chain   ${system.urls.rpc}  (${system.urls.ws})`,
    `program ${system.programId}`,
    `usdc    ${system.usdcMint}`,
    `faucet  ${system.urls.faucet}`,
    ...(facilitator === undefined ? [] : [`x402    ${facilitator}  (the facilitator)`]),
    `logs    ${system.logsDir}`,
    '',
    'Try it:',
    `  curl -s ${system.urls.api}/readyz`,
    'Worthless money for an address (lamports, base units of USDC):',
    `  curl -s ${system.urls.faucet} -d '{"address":"<address>","lamports":1000000000,"usdc":5000000}'`,
    '',
    'Ctrl-C stops everything.',
  ].join('\n');
}
