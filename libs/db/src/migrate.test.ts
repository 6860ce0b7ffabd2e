import { sql } from 'slonik';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { useTestDatabase } from '../../../tests/support/database/test-database.ts';
import { migrate } from './migrate.ts';

const { url, db } = await useTestDatabase();

const migrationRow = z.object({ name: z.string(), checksum: z.string(), appliedAt: z.date() });
const readMigrations = (): Promise<readonly z.output<typeof migrationRow>[]> =>
  db.any(sql.type(migrationRow)`
    select name, checksum, applied_at as "appliedAt" from migration order by name
  `);

test('a migrated database stays unchanged', async () => {
  const before = await readMigrations();
  expect(before.length).toBeGreaterThan(2);
  const lines: string[] = [];
  await migrate(url, { log: (line) => lines.push(line) });
  expect(lines).toEqual([]);
  expect(await readMigrations()).toEqual(before);
});

test('four processes that start at once apply each file once', async () => {
  await db.query(sql.unsafe`drop schema public cascade`);
  await db.query(sql.unsafe`create schema public`);
  const lines: string[] = [];
  await Promise.all([1, 2, 3, 4].map(() => migrate(url, { log: (line) => lines.push(line) })));
  const applied = await readMigrations();
  expect(lines).toEqual(applied.map(({ name }) => `applied ${name}`));
});

test('an applied file that was changed is refused by name', async () => {
  const [first] = await readMigrations();
  const name = first?.name ?? '';
  await db.query(sql.unsafe`update migration set checksum = 'other' where name = ${name}`);
  await expect(migrate(url)).rejects.toMatchObject({
    code: 'SERVER_MISCONFIGURED',
    context: { reason: `migration ${name} was changed` },
  });
  await db.query(sql.unsafe`
    update migration set checksum = ${first?.checksum ?? ''} where name = ${name}
  `);
  await migrate(url);
});

test('a failed file leaves no changes', async () => {
  const applied = await readMigrations();
  const first = applied[0]?.name ?? '';
  // The tables of the first file are there already, so it cannot be applied again.
  await db.query(sql.unsafe`delete from migration where name = ${first}`);
  await expect(migrate(url)).rejects.toMatchObject({
    code: 'SERVER_MISCONFIGURED',
    context: { reason: `migration ${first} failed` },
  });
  expect(await readMigrations()).toEqual(applied.slice(1));
});
