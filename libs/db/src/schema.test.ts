import { grantRoles, migrate } from './index.ts';
import { sql } from 'slonik';
import { afterEach, expect, test } from 'vitest';
import { useTestDatabase } from '../../../tests/support/database/test-database.ts';
import { z } from 'zod';
import { readSchema, requireCurrentSchema } from './schema.ts';

const migrationRow = z.object({ name: z.string(), checksum: z.string() });
const { db, url } = await useTestDatabase();

afterEach(async () => {
  await db.query(sql.unsafe`delete from migration where name like '9999%'`);
  await grantRoles(url);
});

test('a migrated database is accepted', async () => {
  await expect(requireCurrentSchema(db)).resolves.toBeUndefined();
  const { applied, ...others } = await readSchema(db);
  expect(applied.length).toBeGreaterThan(20);
  expect(others).toEqual({ pending: [], changed: [], unknown: [], areRolesCurrent: true });
});

test('a database of a newer version is refused by name', async () => {
  await db.query(sql.unsafe`
    insert into migration (name, checksum) values ('9999_later.sql', 'c')
  `);
  await expect(requireCurrentSchema(db)).rejects.toThrow(
    'the database has migrations of a newer version (9999_later.sql): start that version',
  );
  expect((await readSchema(db)).unknown).toEqual(['9999_later.sql']);
});

test('a half-migrated database is refused with the last missing migration', async () => {
  const { applied } = await readSchema(db);
  const last = applied.at(-1) ?? '';
  const kept = await db.any(sql.type(migrationRow)`
    delete from migration where name >= ${applied.at(-2) ?? ''} and name ~ '^[0-9]'
    returning name, checksum
  `);
  await expect(requireCurrentSchema(db)).rejects.toThrow(
    `the database lacks migrations of this version (2, the last is ${last}): run \`npm run migrate\``,
  );
  for (const { name, checksum } of kept) {
    await db.query(sql.unsafe`
      insert into migration (name, checksum) values (${name}, ${checksum})
    `);
  }
});

test('a migration with another text is refused', async () => {
  const { applied } = await readSchema(db);
  const name = applied[0] ?? '';
  const checksum = await db.oneFirst(sql.unsafe`
    select checksum from migration where name = ${name}
  `);
  await db.query(sql.unsafe`update migration set checksum = 'other' where name = ${name}`);
  await expect(requireCurrentSchema(db)).rejects.toThrow(`with another text (${name}): start`);
  await db.query(sql.unsafe`
    update migration set checksum = ${String(checksum)} where name = ${name}
  `);
});

test('rights of another version are refused, until they are granted again', async () => {
  await db.query(sql.unsafe`update migration set checksum = 'o' where name = 'roles.sql'`);
  await expect(requireCurrentSchema(db)).rejects.toThrow('the rights of the roles are of another');
  await grantRoles(url);
  await requireCurrentSchema(db);
});

test('a login that may not look, and an empty database, are told to migrate', async () => {
  await db.query(sql.unsafe`revoke select (name, checksum) on migration from agent_wallet_api`);
  await expect(
    db.connect(async (connection) => {
      await connection.query(sql.unsafe`set role agent_wallet_api`);
      try {
        await requireCurrentSchema(connection);
      } finally {
        await connection.query(sql.unsafe`reset role`);
      }
    }),
  ).rejects.toThrow('may not read which migrations the database has: run `npm run migrate`');
  await db.query(sql.unsafe`drop schema public cascade`);
  await db.query(sql.unsafe`create schema public`);
  await expect(requireCurrentSchema(db)).rejects.toThrow('lacks migrations of this version (');
  await migrate(url);
});
