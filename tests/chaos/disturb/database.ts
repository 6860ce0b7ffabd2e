import { setTimeout as delay } from 'node:timers/promises';
import { drawWhole } from '../../support/rpc-proxy/draw.ts';
import { waitUntil } from '../../support/wait-until.ts';
import type { Disturb } from '../row.ts';
import { connect } from '../world/connect.ts';
import type { World } from '../world/world.ts';

const BETWEEN_MS = [1_500, 5_000] as const;
const AWAY_MS = [500, 7_000] as const;
const CRASH_RECOVERY_TIMEOUT_MS = 30_000;

/** Cuts all connections, shuts the server off for a while, or crashes it, at random moments. */
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

/** Kills one backend with SIGKILL, so that the server ends the others and recovers from its log. */
async function crash(url: string): Promise<void> {
  await using victim = await connect(url);
  const { rows } = await victim.query<{ pid: number }>('select pg_backend_pid() as pid');
  const pid = rows[0]?.pid;
  if (pid === undefined) throw new Error('Postgres returned no process id');
  process.kill(pid, 'SIGKILL');
  await victim.end().catch(() => undefined);
  await waitUntil('Postgres to recover from its crash', () => answers(url), {
    timeoutMs: CRASH_RECOVERY_TIMEOUT_MS,
    intervalMs: 100,
  });
}

async function answers(url: string): Promise<boolean> {
  try {
    await using client = await connect(url);
    await client.query('select 1');
    return true;
  } catch {
    return false;
  }
}
