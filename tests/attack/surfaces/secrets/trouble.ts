import { spawn } from 'node:child_process';
import { sql } from 'slonik';
import type { ProcessSpec } from '@agent-wallet/local-system/system/app-processes.ts';
import { send } from '../../plain-http.ts';
import type { Target } from '../../target.ts';
import { waitUntil } from '../../../support/wait-until.ts';

const TIMEOUT_MS = 60_000;
const WORKERS = ['tx-worker', 'confirm-worker'] as const;

/** Workers that are killed, a database that hangs up, a chain that goes away: what they write then. */
export async function makeTrouble({ system, fixture }: Target): Promise<void> {
  await system.kill('tx-worker');
  await system.restart('tx-worker');
  await system.kill('confirm-worker', 'SIGTERM');
  await system.restart('confirm-worker');
  await fixture.db.query(sql.unsafe`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name like any (array['api', '%-worker'])
  `);
  await send(system, 'GET', '/readyz');
  await system.kill('chain');
  const isTold = async (name: string): Promise<boolean> => {
    const { text } = await send(
      { urls: { api: system.urls.metrics[name] ?? '' } },
      'GET',
      '/metrics',
    );
    return /rpc_calls_total\{[^}]*outcome="error"[^}]*\} [1-9]/.test(text);
  };
  for (const name of WORKERS) {
    await waitUntil(`${name} misses the chain`, () => isTold(name), { timeoutMs: 30_000 });
  }
}

/** Settings that people get wrong, with the secret still in them; what the processes say of it. */
export async function startBadly(specs: readonly ProcessSpec[], rpcKey: string): Promise<string> {
  const spoil = (
    role: string,
    name: string,
    change: (value: string) => string,
  ): Promise<string> => {
    const spec = specs.find((one) => one.role === role);
    if (spec === undefined) throw new Error(`no ${role}`);
    return runOnce(spec, { [name]: change(spec.env[name] ?? '') });
  };
  const said = await Promise.all([
    spoil('tx-worker', 'KEYSTORE_KEY', (value) => `${value.slice(0, -3)}!`),
    spoil('tx-worker', 'FEE_PAYER_KEYS', (value) => value.slice(0, -1)),
    spoil('tx-worker', 'DATABASE_URL', (value) => value.replace(/@[^/]+/, '@127.0.0.1:1')),
    spoil('api', 'DATABASE_URL', (value) => value.replace('postgres', 'x')),
    spoil('api', 'COOKIE_SECRET', (value) => value.slice(0, 31)),
    spoil('api', 'RPC_URL', () => `x://127.0.0.1/?api-key=${rpcKey}`),
  ]);
  const silent = said.filter((text) => text === '').length;
  if (silent > 0) throw new Error(`${silent} processes said nothing`);
  return said.join('\n');
}

/** All that a process writes until it ends; one that goes on is ended. */
function runOnce({ entry, env }: ProcessSpec, changed: Record<string, string>): Promise<string> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [entry], {
      env: { PATH: process.env['PATH'] ?? '', ...env, ...changed, PORT: '0', METRICS_PORT: '0' },
      timeout: TIMEOUT_MS,
    });
    let said = '';
    child.stdout.on('data', (chunk) => (said += String(chunk)));
    child.stderr.on('data', (chunk) => (said += String(chunk)));
    child.on('close', () => resolve(said));
  });
}
