import { spawn } from 'node:child_process';
import { sql } from 'slonik';
import type { ProcessSpec } from '@agent-wallet/local-system/system/app-processes.ts';
import { send } from '../../plain-http.ts';
import type { Target } from '../../target.ts';
import { waitUntil } from '../../../support/wait-until.ts';

const TIMEOUT_MS = 60_000;
const WORKERS = ['tx-worker', 'confirm-worker'] as const;

/** Makes processes log errors: killed workers, cut database connections, an unreachable chain. */
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
  const hasFailed = async (name: string): Promise<boolean> => {
    const { text } = await send(
      { urls: { api: system.urls.metrics[name] ?? '' } },
      'GET',
      '/metrics',
    );
    return /rpc_calls_total\{[^}]*outcome="error"[^}]*\} [1-9]/.test(text);
  };
  for (const name of WORKERS) {
    await waitUntil(`${name} misses the chain`, () => hasFailed(name), { timeoutMs: 30_000 });
  }
}

/** Starts processes with invalid settings that contain a secret. Returns their output. */
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
  const outputs = await Promise.all([
    spoil('tx-worker', 'KEYSTORE_KEY', (value) => `${value.slice(0, -3)}!`),
    spoil('tx-worker', 'FEE_PAYER_KEYS', (value) => value.slice(0, -1)),
    spoil('tx-worker', 'DATABASE_URL', (value) => value.replace(/@[^/]+/, '@127.0.0.1:1')),
    spoil('api', 'DATABASE_URL', (value) => value.replace('postgres', 'x')),
    spoil('api', 'COOKIE_SECRET', (value) => value.slice(0, 31)),
    spoil('api', 'RPC_URL', () => `x://127.0.0.1/?api-key=${rpcKey}`),
  ]);
  const silent = outputs.filter((text) => text === '').length;
  if (silent > 0) throw new Error(`${silent} processes printed nothing`);
  return outputs.join('\n');
}

/** Returns the output of a process until it ends or times out. */
function runOnce({ entry, env }: ProcessSpec, changed: Record<string, string>): Promise<string> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [entry], {
      env: { PATH: process.env['PATH'] ?? '', ...env, ...changed, PORT: '0', METRICS_PORT: '0' },
      timeout: TIMEOUT_MS,
    });
    let output = '';
    child.stdout.on('data', (chunk) => (output += String(chunk)));
    child.stderr.on('data', (chunk) => (output += String(chunk)));
    child.on('close', () => resolve(output));
  });
}
