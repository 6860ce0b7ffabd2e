import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  announceRunningSystem,
  findRunningSystem,
  forgetRunningSystem,
} from '@agent-wallet/local-system/system/running-system.ts';
import { startSystem, type System } from '@agent-wallet/local-system/system/start-system.ts';
import { Keypair } from '@solana/web3.js';
import bs58 from 'bs58';
import { type Ops, Skipped, type Step } from '../step.ts';
import { type Compose, composeWith, needCompose } from '../tools/compose.ts';
import { COPIES, pickPorts, type Ports, stagePrometheus } from '../tools/composition.ts';
import { IMAGE, needPodman, podman } from '../tools/podman.ts';
import { runTool } from '../tools/run-tool.ts';
import { buildStandIns } from '../tools/stand-ins.ts';
import { waitFor } from '../tools/wait-for.ts';

const PROJECT = 'agent-wallet-ops';
const FEE_PAYER_LAMPORTS = 100 * 1_000_000_000;

/**
 * deploy/compose.yaml on the network of this machine, with servers of Debian's packages. Chain,
 * faucet and paid services are those of a local system that uses the composition's database.
 * Grafana is left out: Debian has no package of it.
 */
export const bringUpComposition: Step = {
  name: 'the composition comes up with two copies of each process, and the demo runs against it',
  run: async (ops) => {
    await needPodman(ops);
    await needCompose();
    if ((await findRunningSystem()) !== undefined) {
      throw new Skipped('npm start runs from this clone, and the demo would use that system');
    }
    const ports = await pickPorts();
    const secrets = join(ops.folder, 'secrets');
    const env = {
      ...Object.fromEntries(Object.entries(ports).map(([name, port]) => [name, String(port)])),
      ...(await buildStandIns()),
      AGENT_WALLET_IMAGE: IMAGE,
      SECRETS_DIR: secrets,
      SETTINGS_DIR: join(ops.folder, 'settings'),
      PROMETHEUS_DIR: stagePrometheus(ops.folder, ports),
      PROGRAM_ID: 'set below',
      USDC_MINT: 'set below',
      API_URL: `http://localhost:${ports.API_1_PORT}`,
      DASHBOARD_ORIGIN: `http://localhost:${ports.DASHBOARD_PORT}`,
    };
    const compose = composeWith(PROJECT, env);
    await compose('down', '--volumes');
    try {
      await runTool(['deploy/compose/create-secrets.sh'], {
        env: {
          SECRETS_DIR: secrets,
          POSTGRES_HOST: `127.0.0.1:${ports.POSTGRES_PORT}`,
          RPC_URL: 'http://127.0.0.1:1',
        },
      });
      const feePayers = [Keypair.generate(), Keypair.generate()];
      const keys = feePayers.map(({ secretKey }) => bs58.encode(secretKey));
      writeFileSync(join(secrets, 'fee-payer-keys'), JSON.stringify(keys));
      await setUpDatabase(compose, ops);
      await using system = await startSystem({
        dataDir: join(ops.folder, 'compose'),
        databaseUrl: readFileSync(join(secrets, 'owner-database-url'), 'utf8').trim(),
        dashboardPort: 0,
        slotTimeMs: 200,
        paidServices: true,
        feePayerKeys: keys,
        processes: () => [],
      });
      for (const { publicKey } of feePayers) {
        await system.faucet.sol(publicKey, FEE_PAYER_LAMPORTS);
      }
      rmSync(join(secrets, 'rpc-url'));
      writeFileSync(join(secrets, 'rpc-url'), system.urls.rpc);
      writeSettings(env.SETTINGS_DIR, system);
      const { programId, usdcMint } = system;
      const chosen = { ...env, PROGRAM_ID: programId, USDC_MINT: usdcMint };
      await startProcesses(composeWith(PROJECT, chosen), ports, ops);
      await runDemoAgainst(system, ports, ops);
      await checkScrapes(ports, ops);
    } finally {
      forgetRunningSystem();
      await compose('logs').then(
        (logs) => writeFileSync(join(ops.folder, 'compose.log'), logs),
        () => undefined,
      );
      await compose('down', '--volumes', '--timeout', '10');
    }
  },
};

/** Postgres, the queue's server, the schema and the logins. */
async function setUpDatabase(compose: Compose, ops: Ops): Promise<void> {
  await compose('up', '--detach', '--no-deps', 'postgres', 'valkey');
  const psql = ['exec', `${PROJECT}_postgres_1`, 'pg_isready', '--quiet'];
  await waitFor('Postgres', () => podman(...psql).then(() => true));
  for (const service of ['migrate', 'logins']) {
    await compose('up', '--detach', '--no-deps', service);
    const code = await podman('wait', `${PROJECT}_${service}_1`);
    if (code !== '0') {
      throw new Error(`${service}: ${await podman('logs', `${PROJECT}_${service}_1`)}`);
    }
    ops.log(`${service} has ended`);
  }
}

/** What the demo needs beyond the defaults, as in the local system. */
function writeSettings(folder: string, { paidServices }: System): void {
  mkdirSync(folder, { recursive: true });
  const origins = [...new Set(paidServices.map(({ url }) => new URL(url).origin))].join(',');
  const loopback = `LOOPBACK_SERVICES=${origins}\n`;
  const api = `${loopback}AGENT_EXTENSIONS=true\nYIELD_ENABLED=true\nSIGN_IN_PER_MINUTE=3000\n`;
  writeFileSync(join(folder, 'api.env'), api);
  writeFileSync(join(folder, 'tx-worker.env'), '');
  writeFileSync(join(folder, 'confirm-worker.env'), loopback);
  writeFileSync(join(folder, 'dashboard.env'), '');
}

async function startProcesses(compose: Compose, ports: Ports, ops: Ops): Promise<void> {
  const services = [...Object.keys(COPIES), 'dashboard', 'prometheus'];
  await compose('up', '--detach', '--no-deps', ...services);
  const ready = { ...COPIES, dashboard: 'DASHBOARD_PORT' } as const;
  for (const [name, variable] of Object.entries(ready)) {
    await waitFor(name, async () => (await fetch(urlAt(ports[variable], '/readyz'))).ok);
  }
  ops.log(`ready: ${Object.keys(ready).join(', ')}`);
}

/** The demo takes the composition for the system that npm start runs. */
async function runDemoAgainst(system: System, ports: Ports, ops: Ops): Promise<void> {
  const api = urlAt(ports.API_1_PORT, '');
  announceRunningSystem({ ...system, urls: { ...system.urls, api } });
  const shown = await runTool([process.execPath, 'apps/local/src/demo/main.ts']);
  if (!shown.includes(api)) throw new Error('the demo has used another system');
  const summary = shown.split('\n').find((line) => line.startsWith('demo: '));
  ops.log(summary ?? shown);
}

/** Prometheus reaches every copy with the shipped configuration. */
async function checkScrapes(ports: Ports, ops: Ops): Promise<void> {
  const query = encodeURIComponent('sum(up{job=~"agent-wallet-.*"})');
  const wanted = String(Object.keys(COPIES).length);
  await waitFor(`${wanted} targets of Prometheus`, async () => {
    const response = await fetch(urlAt(ports.PROMETHEUS_PORT, `/api/v1/query?query=${query}`));
    return (await response.text()).includes(`"${wanted}"`);
  });
  ops.log(`Prometheus scrapes ${wanted} copies`);
}

const urlAt = (port: number, path: string): string => `http://127.0.0.1:${port}${path}`;
