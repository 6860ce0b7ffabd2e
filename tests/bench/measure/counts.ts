/** What a system asks of Postgres, of the chain and of its queue, as counts since its start. */
import type { System } from '@agent-wallet/local-system/system/start-system.ts';
import { Client } from 'pg';
import { z } from 'zod';
import { readRpcCalls, sumOf } from './rpc-calls.ts';

export const COUNTED = ['statements', 'commits', 'rpcCalls', 'jobs'] as const;
export type Counts = Readonly<Record<(typeof COUNTED)[number], number>>;

/** For `postgresSettings`. The library counts from the start of the server on. */
export const COUNTING_SETTINGS = {
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.max': '10000',
} as const;

const databaseRow = z.object({
  statements: z.coerce.number(),
  commits: z.coerce.number(),
  jobs: z.coerce.number(),
});

export type Counter = AsyncDisposable & { readonly read: () => Promise<Counts> };

/**
 * Starts to count. A statement is one that a client sent, `begin` and `commit` included; what a
 * function runs inside is not counted. Jobs are those added to the queue in Postgres. RPC calls are
 * those of the product's own metric, so that each entry of a JSON-RPC batch counts.
 */
export async function startCounting(system: System): Promise<Counter> {
  const client = new Client({ connectionString: system.databaseUrl });
  await client.connect();
  await client.query('create extension if not exists pg_stat_statements');
  await track(client, 'top');
  return {
    read: async () => {
      const { rows } = await client.query(`
        select
          (select coalesce(sum(calls), 0) from pg_stat_statements
            where dbid = (select oid from pg_database where datname = current_database())
          ) as statements,
          (select xact_commit from pg_stat_database where datname = current_database()) as commits,
          (select n_tup_ins from pg_stat_user_tables
            where schemaname = 'bullmq' and relname = 'job') as jobs
      `);
      return { ...databaseRow.parse(rows[0]), rpcCalls: sumOf(await readRpcCalls(system)) };
    },
    [Symbol.asyncDispose]: async () => {
      await track(client, 'none');
      await client.end();
    },
  };
}

/** Stops the counting of statements, which would cost CPU time in other rows. */
export async function stopCounting(databaseUrl: string): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  await track(client, 'none');
  await client.end();
}

async function track(client: Client, which: 'top' | 'none'): Promise<void> {
  await client.query(`alter system set pg_stat_statements.track = '${which}'`);
  await client.query('select pg_reload_conf()');
}
