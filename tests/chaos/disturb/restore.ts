import { execFile } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { readIntake } from '@agent-wallet/db';
import { drawWhole } from '../../support/rpc-proxy/draw.ts';
import { waitUntil } from '../../support/wait-until.ts';
import type { Disturb } from '../row.ts';
import { connect } from '../world/connect.ts';
import type { World } from '../world/world.ts';

const BEFORE_COPY_MS = [2_000, 5_000] as const;
/** Requests and payments of this time are forgotten by the restore. */
const FORGOTTEN_MS = [1_500, 6_000] as const;
const OPEN_TIMEOUT_MS = 120_000;
const CLI = fileURLToPath(new URL('../../../apps/cli/src/main.ts', import.meta.url));

/**
 * Restores an earlier copy of the database under load. Every other time the copy has a new
 * timeline; otherwise it cannot be told from the original, and an operator reports the restore.
 */
export const restoreEarlier: Disturb = async (world, _cast, { signal, seed }) => {
  const { database, db } = world;
  const isFirstReported = drawWhole([0, 1], seed, 'told') === 1;
  for (let n = 1; !signal.aborted; n += 1) {
    await delay(drawWhole(BEFORE_COPY_MS, seed, 'before', n));
    const copy = await database.copy();
    await delay(drawWhole(FORGOTTEN_MS, seed, 'forgotten', n));
    const isReported = isFirstReported === (n % 2 === 1);
    database.setShut(true);
    try {
      await endTransactions(database.directUrl);
      await world.forgotten.remember(db);
      await database.restore(copy, { newTimeline: !isReported });
      if (isReported) await reportRestore(world);
    } finally {
      database.setShut(false);
    }
    await waitUntil('the restored database to open', () => isOpen(world), {
      timeoutMs: OPEN_TIMEOUT_MS,
      intervalMs: 250,
    });
    world.countFault(isReported ? 'reported restore' : 'new timeline');
  }
};

/** Ends all other connections, so that every commit under way has succeeded or failed. */
async function endTransactions(url: string): Promise<void> {
  await using client = await connect(url);
  const others = 'from pg_stat_activity where pid <> pg_backend_pid() and client_port is not null';
  await client.query(`select pg_terminate_backend(pid) ${others}`);
  await waitUntil('the other connections to end', async () => {
    const { rowCount } = await client.query(`select 1 ${others}`);
    return rowCount === 0;
  });
}

/** Runs `agent-wallet ops restored` before the processes connect, as the runbook says. */
async function reportRestore({ database, system }: World): Promise<void> {
  const { username, password } = new URL(system.databaseUrls.operator);
  const databaseUrl = Object.assign(new URL(database.directUrl), { username, password }).href;
  await promisify(execFile)(process.execPath, [CLI, 'ops', 'restored'], {
    env: {
      DATABASE_URL: databaseUrl,
      RPC_URL: system.urls.rpc,
      PROGRAM_ID: system.programId,
      USDC_MINT: system.usdcMint,
    },
  });
}

async function isOpen({ db }: World): Promise<boolean> {
  const intake = await readIntake(db).catch(() => null);
  return intake?.isOpen === true;
}
