import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { isAlive } from '../process/is-alive.ts';
import type { System } from './system.ts';

/** Git-ignored folder of one clone's local system: logs, `system.json`. */
export const LOCAL_DIR = fileURLToPath(new URL('../../../../.local/', import.meta.url));

const PROBE_TIMEOUT_MS = 2_000;

const schema = z.object({
  pid: z.int().positive(),
  urls: z.object({
    api: z.string(),
    dashboard: z.string(),
    rpc: z.string(),
    ws: z.string(),
    faucet: z.string(),
    reserve: z.string(),
    facilitator: z.string().optional(),
    processes: z.record(z.string(), z.string()),
    metrics: z.record(z.string(), z.string()),
  }),
  databaseUrl: z.string(),
  databaseUrls: z.object({
    api: z.string(),
    'tx-worker': z.string(),
    'confirm-worker': z.string(),
    operator: z.string(),
    auditor: z.string(),
  }),
  programId: z.string(),
  usdcMint: z.string(),
  paidServices: z.array(
    z.object({
      slug: z.string(),
      url: z.string(),
      payTo: z.string(),
      price: z.int(),
      proof: z.enum(['x-payment-proof', 'x402']),
    }),
  ),
});

/** Where a system that `npm start` runs can be reached. */
export type RunningSystem = z.infer<typeof schema>;

/**
 * The system that `npm start` runs from this clone, or undefined. Removes the file of an `npm
 * start` that was killed: its faucet, which the supervisor itself serves, does not respond.
 */
export async function findRunningSystem(
  dir: string = LOCAL_DIR,
): Promise<RunningSystem | undefined> {
  const found = readSystemFile(dir);
  if (found === undefined) return undefined;
  if (isAlive(found.pid) && (await responds(found.urls.faucet))) return found;
  forgetRunningSystem(dir);
  return undefined;
}

/** Records where a system runs; only this user can read the file, which has a password in it. */
export function announceRunningSystem(system: System, dir: string = LOCAL_DIR): void {
  const { urls, databaseUrl, databaseUrls, programId, usdcMint } = system;
  const paidServices = [...system.paidServices];
  const place = { urls, databaseUrl, databaseUrls, programId, usdcMint, paidServices };
  const content: RunningSystem = { pid: process.pid, ...place };
  mkdirSync(dir, { recursive: true });
  writeFileSync(fileIn(dir), `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
}

export function forgetRunningSystem(dir: string = LOCAL_DIR): void {
  rmSync(fileIn(dir), { force: true });
}

function fileIn(dir: string): string {
  return join(dir, 'system.json');
}

function readSystemFile(dir: string): RunningSystem | undefined {
  try {
    return schema.parse(JSON.parse(readFileSync(fileIn(dir), 'utf8')));
  } catch {
    return undefined;
  }
}

async function responds(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) });
    await response.body?.cancel();
    return true;
  } catch {
    return false;
  }
}
