/**
 * The image's health check: exit code 0 while the container's process responds on /livez. The role
 * is read from the command line of process 1. Not /readyz: a restart does not repair a database or
 * an RPC endpoint that is away.
 */
import { readFileSync } from 'node:fs';

const PORTS = {
  api: process.env.PORT || '8080',
  dashboard: process.env.PORT || '3000',
  'tx-worker': process.env.METRICS_PORT || '9465',
  'confirm-worker': process.env.METRICS_PORT || '9466',
  facilitator: process.env.METRICS_PORT || '9467',
};
const TIMEOUT_MS = 4_000;

const words = readFileSync('/proc/1/cmdline', 'utf8').split('\0');
// With an init process of the runtime, process 1 is `init -- /app/deploy/image/start <role>`.
const role = Object.keys(PORTS).find(
  (name) => words.includes(name) || words.includes(`apps/${name}/src/main.ts`),
);
if (role !== undefined) {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const response = await fetch(`http://127.0.0.1:${PORTS[role]}/livez`, { signal });
  if (!response.ok) throw new Error(`${role}: /livez returned ${response.status}`);
}
