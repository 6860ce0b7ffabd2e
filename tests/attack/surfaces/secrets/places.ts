import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'slonik';
import { z } from 'zod';
import { send } from '../../plain-http.ts';
import type { Target } from '../../target.ts';

/** A place that the system writes to, and its content. */
export type Place = { readonly name: string; readonly text: string };

/** Reads all files of the logs folder. */
export async function readLogs({ logsDir }: Target): Promise<readonly Place[]> {
  const found = await readdir(logsDir, { recursive: true, withFileTypes: true });
  return Promise.all(
    found
      .filter((entry) => entry.isFile())
      .map(async (entry) => ({
        name: `log ${entry.name}`,
        text: await readFile(join(entry.parentPath, entry.name), 'latin1'),
      })),
  );
}

/** Reads the metrics of every process. */
export function readMetrics({ system }: Target): Promise<readonly Place[]> {
  return Promise.all(
    Object.entries(system.urls.metrics).map(async ([name, url]) => ({
      name: `metrics of ${name}`,
      text: (await send({ urls: { api: url } }, 'GET', '/metrics')).text,
    })),
  );
}

/** Reads the command line of every process. Environments are readable by the same user only. */
export async function readArguments({ system }: Target): Promise<readonly Place[]> {
  const names = Object.keys(system.urls.metrics);
  const files = names.map((name) => [name, `/proc/${system.pid(name)}/cmdline`] as const);
  return Promise.all(
    files
      .filter(([, file]) => existsSync(file))
      .map(async ([name, file]) => ({
        name: `arguments of ${name}`,
        text: await readFile(file, 'latin1'),
      })),
  );
}

const tableRow = z.object({ schema: z.string(), name: z.string() });
const textRow = z.object({ text: z.string() });

/** Reads every row of every table, the queue's included. */
export async function readTables({ fixture: { db } }: Target): Promise<readonly Place[]> {
  const tables = await db.any(sql.type(tableRow)`
    select table_schema as schema, table_name as name from information_schema.tables
    where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')
  `);
  return Promise.all(
    tables.map(async ({ schema, name }) => {
      const rows = await db.any(sql.type(textRow)`
        select one::text as text from ${sql.identifier([schema, name])} as one
      `);
      return {
        name: `table ${schema}.${name}`,
        text: rows.map(({ text }) => withBytesRead(text)).join('\n'),
      };
    }),
  );
}

/** Adds the text of bytes, which Postgres prints in hex. */
const withBytesRead = (row: string): string =>
  row.replaceAll(
    /\\x([0-9a-f]+)/g,
    (hex, digits: string) => `${hex} ${Buffer.from(digits, 'hex').toString('latin1')}`,
  );
