import { join } from 'node:path';
import { chromium } from 'playwright-core';
import type { TestProject } from 'vitest/node';
import { startSystem, type System } from '@agent-wallet/local-system/system/start-system.ts';
import { cloneTemplate } from '../../support/database/clone-template.ts';
import { bundleTestWallet } from './test-wallet/bundle.ts';
import { findChromium } from './find-chromium.ts';

/** What the tests need of the one system and the one browser; plain data. */
export type BrowserWorld = Pick<System, 'programId' | 'usdcMint'> & {
  readonly urls: Pick<System['urls'], 'api' | 'dashboard' | 'rpc' | 'faucet'>;
  /** Where the browser is driven. */
  readonly browserUrl: string;
  /** The script of the test wallet, for a page that does not yet have it. */
  readonly walletScript: string;
};

declare module 'vitest' {
  interface ProvidedContext {
    readonly browserWorld: BrowserWorld;
  }
}

/** Half of a cluster's, and a blockhash still lives for 30 s. */
const SLOT_TIME_MS = 200;

/** Runs once for `npm run test:browser`: the system with the dashboard, and a browser. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const executablePath = findChromium(process.env);
  await using stack = new AsyncDisposableStack();
  const { templateUrl, systemsDir } = project.getProvidedContext();
  const database = stack.use(await cloneTemplate(templateUrl));
  const deaths: string[] = [];
  const system = stack.use(
    await startSystem({
      databaseUrl: database.url,
      dataDir: join(systemsDir, 'browser'),
      slotTimeMs: SLOT_TIME_MS,
      paidServices: true,
      log: (line) => process.stdout.write(line.startsWith('dashboard b') ? `${line}\n` : ''),
      onDeath: (_name, sentence) => deaths.push(sentence),
    }),
  );
  // Debian's Chromium refuses to run as root inside its sandbox.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const server = await chromium.launchServer({ executablePath, args });
  stack.defer(() => server.close());
  const { programId, usdcMint } = system;
  const { api, dashboard, rpc, faucet } = system.urls;
  project.provide('browserWorld', {
    programId,
    usdcMint,
    urls: { api, dashboard, rpc, faucet },
    browserUrl: server.wsEndpoint(),
    walletScript: await bundleTestWallet(),
  });
  const everything = stack.move();
  return async () => {
    await everything.disposeAsync();
    if (deaths.length > 0) throw new Error(deaths.join('\n'));
  };
}
