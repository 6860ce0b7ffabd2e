import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { drawWhole } from '../../support/rpc-proxy/draw.ts';
import type { Disturb } from '../row.ts';
import type { World } from '../world/world.ts';

const BETWEEN_MS = [1_500, 5_000] as const;
const AWAY_MS = [500, 7_000] as const;
const CRASH_RECOVERY_TIMEOUT_MS = 30_000;

/** Connections cut, the server away for a while, the server crashed: in turn, at random moments. */
export const breakDatabase: Disturb = async (world, _cast, { signal, seed }) => {
  for (let n = 1; !signal.aborted; n += 1) {
    await delay(drawWhole(BETWEEN_MS, seed, 'between', n));
    if (signal.aborted) return;
    world.countFault();
    const kind = drawWhole([0, 2], seed, 'kind', n);
    if (kind === 0) world.database.cut();
    else if (kind === 1) await shutFor(world, drawWhole(AWAY_MS, seed, 'away', n));
    else await crash(world.database.directUrl);
  }
};

async function shutFor({ database }: World, awayMs: number): Promise<void> {
  database.setShut(true);
  try {
    await delay(awayMs);
  } finally {
    database.setShut(false);
  }
}

/**
 * A kill -9 of one of its processes makes the server end all the others and start again from its
 * log, as after a crash.
 */
async function crash(url: string): Promise<void> {
  const victim = new Client({ connectionString: url });
  victim.on('error', () => undefined);
  await victim.connect();
  const { rows } = await victim.query<{ pid: number }>('select pg_backend_pid() as pid');
  const pid = rows[0]?.pid;
  if (pid === undefined) throw new Error('the server did not tell its process');
  process.kill(pid, 'SIGKILL');
  await victim.end().catch(() => undefined);
  const deadline = performance.now() + CRASH_RECOVERY_TIMEOUT_MS;
  while (!(await answers(url))) {
    if (performance.now() > deadline) throw new Error('Postgres did not come back from its crash');
    await delay(100);
  }
}

async function answers(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('select 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}
