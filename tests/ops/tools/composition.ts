import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pickFreePorts } from '@agent-wallet/local-system/process/free-port.ts';
import { REPOSITORY } from './run-tool.ts';

/** The variables of deploy/compose/host.yaml that hold a port. */
const PORTS = [
  'POSTGRES_PORT',
  'VALKEY_PORT',
  'API_1_PORT',
  'API_2_PORT',
  'API_1_METRICS_PORT',
  'API_2_METRICS_PORT',
  'TX_WORKER_1_PORT',
  'TX_WORKER_2_PORT',
  'CONFIRM_WORKER_1_PORT',
  'CONFIRM_WORKER_2_PORT',
  'DASHBOARD_PORT',
  'PROMETHEUS_PORT',
] as const;

export type Ports = Readonly<Record<(typeof PORTS)[number], number>>;

/** The copies of the processes by the variable of the port that serves their /readyz. */
export const COPIES = {
  'api-1': 'API_1_PORT',
  'api-2': 'API_2_PORT',
  'tx-worker-1': 'TX_WORKER_1_PORT',
  'tx-worker-2': 'TX_WORKER_2_PORT',
  'confirm-worker-1': 'CONFIRM_WORKER_1_PORT',
  'confirm-worker-2': 'CONFIRM_WORKER_2_PORT',
} as const;

/** The variable of the port that serves /metrics, by that of /readyz: the API has another one. */
const METRICS = {
  API_1_PORT: 'API_1_METRICS_PORT',
  API_2_PORT: 'API_2_METRICS_PORT',
  TX_WORKER_1_PORT: 'TX_WORKER_1_PORT',
  TX_WORKER_2_PORT: 'TX_WORKER_2_PORT',
  CONFIRM_WORKER_1_PORT: 'CONFIRM_WORKER_1_PORT',
  CONFIRM_WORKER_2_PORT: 'CONFIRM_WORKER_2_PORT',
} as const;

/** Free ports for every service. */
export async function pickPorts(): Promise<Ports> {
  const lowest = await pickFreePorts(PORTS.length);
  // Every name of the list gets a port.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return Object.fromEntries(PORTS.map((name, index) => [name, lowest + index])) as Ports;
}

/** The folder with Prometheus' configuration, its targets at these ports. */
export function stagePrometheus(folder: string, ports: Ports): string {
  const staged = join(folder, 'prometheus');
  const shipped = join(REPOSITORY, 'deploy/prometheus');
  mkdirSync(staged, { recursive: true });
  if (existsSync(shipped)) cpSync(shipped, staged, { recursive: true });
  const file = join(staged, 'prometheus.yml');
  const config = readFileSync(file, 'utf8').replaceAll(
    /'(?<name>[a-z-]+-\d):\d+'/g,
    (target, name: string) => {
      const copy = Object.entries(COPIES).find(([known]) => known === name);
      return copy === undefined ? target : `'127.0.0.1:${ports[METRICS[copy[1]]]}'`;
    },
  );
  writeFileSync(file, config);
  return staged;
}
