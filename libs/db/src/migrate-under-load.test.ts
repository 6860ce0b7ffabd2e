import { mkdtempSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Client } from 'pg';
import { sql } from 'slonik';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { useTestDatabase } from '../../../tests/support/database/test-database.ts';
import { waitUntil } from '../../../tests/support/wait-until.ts';
import { migrate } from './migrate.ts';

const { db, url } = await useTestDatabase();
const folder = mkdtempSync(join(tmpdir(), 'migrations-'));
const directory = pathToFileURL(`${folder}/`);
afterAll(() => rm(folder, { recursive: true }));

let holder: Client;
beforeEach(async () => {
  await db.query(sql.unsafe`drop table if exists busy`);
  await db.query(sql.unsafe`create table busy (id int)`);
  await db.query(sql.unsafe`delete from migration where name like '9%'`);
  holder = new Client({ connectionString: url });
  await holder.connect();
});
afterEach(() => holder.end());

const write = (name: string, text: string): Promise<void> => writeFile(join(folder, name), text);

test('a file that waits for a table lets others use it, and is applied when it is free', async () => {
  await write('9001_column.sql', 'alter table busy add column note text;');
  await holder.query('begin');
  await holder.query('insert into busy values (1)');
  const lines: string[] = [];
  const migrating = migrate(url, { directory, log: (line) => lines.push(line) });
  await waitUntil('the migration to wait', async () => lines.length === 1);
  // Behind a wait without an end, these would wait for the holder as well.
  for (let id = 2; id < 5; id += 1) await db.query(sql.unsafe`insert into busy values (${id})`);
  expect(lines).toEqual(['9001_column.sql waits for a lock of a table']);
  await holder.query('commit');
  await migrating;
  expect(lines).toEqual([expect.any(String), 'applied 9001_column.sql']);
  expect(await db.oneFirst(sql.unsafe`select count(*)::int from busy where note is null`)).toBe(4);
});

test('an index is created while others write, and what an interrupted try left is replaced', async () => {
  await write(
    '9002_index.sql',
    '-- outside a transaction\ncreate index concurrently if not exists busy_id on busy (id);',
  );
  await db.query(sql.unsafe`create index busy_id on busy (id)`);
  await db.query(sql.unsafe`
    update pg_index set indisvalid = false where indexrelid = 'busy_id'::regclass
  `);
  await holder.query('begin');
  await holder.query('insert into busy values (1)');
  // Two at once: the one that waits for the other must not hold up its index.
  const migrating = Promise.all([migrate(url, { directory }), migrate(url, { directory })]);
  await db.query(sql.unsafe`insert into busy values (2)`);
  await holder.query('commit');
  await migrating;
  expect(
    await db.oneFirst(sql.unsafe`
      select indisvalid from pg_index where indexrelid = 'busy_id'::regclass
    `),
  ).toBe(true);
});
