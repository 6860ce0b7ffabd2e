import { mkdtempSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'slonik';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { exportCommand } from '../../apps/cli/src/operator/ops/export-command.ts';
import { EXPORTED, LEFT_OUT } from '../../libs/wallet/src/export/tables.ts';
import { type RowSession, type SpendRows, useSpendRows } from '../support/database/spend-rows.ts';

const folder = mkdtempSync(join(tmpdir(), 'export-'));
afterAll(() => rm(folder, { recursive: true }));
const rows: SpendRows = await useSpendRows();

/** Columns that make a row belong to a wallet. */
const OWNING = ['wallet_id', 'session_id', 'spend_id', 'endpoint_id', 'owner', 'vault'];
const exportedLine = z.object({
  table: z.string().nullable(),
  row: z.record(z.string(), z.unknown()).optional(),
  rows: z.record(z.string(), z.number()).optional(),
});
const columnRow = z.object({ table: z.string(), column: z.string() });

let session: RowSession;
let columns: readonly z.output<typeof columnRow>[];
let text: string;
let lines: readonly z.output<typeof exportedLine>[];
beforeAll(async () => {
  columns = await rows.db.any(sql.type(columnRow)`
    select table_name as table, column_name as column from information_schema.columns
    where table_schema = 'public' order by 1, 2
  `);
  session = await rows.createSession();
  const other = await rows.createSession();
  for (const of of [session, other]) await fill(of);
  const path = join(folder, 'wallet.jsonl');
  await exportWallet(path);
  text = await readFile(path, 'utf8');
  lines = text
    .trim()
    .split('\n')
    .map((line) => exportedLine.parse(JSON.parse(line)));
});

const exportWallet = (path: string, walletId = session.walletId) =>
  exportCommand({ databaseUrl: rows.url, redisUrl: undefined }, { walletId, path });

/** Gives a wallet rows in every table. */
async function fill(of: RowSession): Promise<void> {
  const { db } = rows;
  const { walletId, sessionId } = of;
  await rows.spendIn('confirmed', of, { amount: 9_007_199_254_740_993n });
  await rows.spendIn('in flight', of);
  // More than a page.
  for (let spends = 0; spends < 30; spends += 1) await rows.spendIn('refused unsent', of);
  const bought = await rows.spendIn('queued', of);
  await rows.landed(of, bought.spendId);
  await db.query(sql.unsafe`
    insert into wallet_policy (wallet_id, version) values (${walletId}::uuid, 1)
  `);
  await db.query(sql.unsafe`
    insert into owner_session (owner, expires_at)
    select owner, now() from wallet where wallet_id = ${walletId}::uuid
  `);
  await db.query(sql.unsafe`
    insert into api_key (key_hash, session_id, wallet_id, key_prefix)
    values (sha256(${walletId}::text::bytea), ${sessionId}::uuid, ${walletId}::uuid, 'svc_dev_ab')
  `);
  await db.query(sql.unsafe`
    insert into unexplained (kind, subject, wallet_id, detail)
    values ('event_differs', ${walletId}, ${walletId}::uuid, 'd')
  `);
  await db.query(sql.unsafe`
    insert into delivery (spend_id, wallet_id, session_id, slug, proof, method, url, headers,
      requirement)
    values (${bought.spendId}::uuid, ${walletId}::uuid, ${sessionId}::uuid, 's', 'x402', 'GET', 'u',
      '{}', 'r')
  `);
  await db.query(sql.unsafe`
    with made as (
      insert into webhook_endpoint (endpoint_id, wallet_id, place, url, events, audit_seq)
      values (gen_random_uuid(), ${walletId}::uuid, 1, 'https://h.example', '{spend.settled}', 0)
      returning endpoint_id, wallet_id
    ), secret as (
      insert into webhook_secret (secret_id, endpoint_id, sealed)
      select gen_random_uuid(), endpoint_id, 'sealed' from made
    )
    insert into webhook_delivery (endpoint_id, wallet_id, event_id, type, body)
    select endpoint_id, wallet_id, 'e', 'spend.settled', '{}' from made
  `);
}

const tables = (): string[] => [...new Set(columns.map(({ table }) => table))];

describe('the tables of the schema', () => {
  test('are each exported, or named with the reason why not', () => {
    const named = [...EXPORTED.map(({ table }) => table), ...Object.keys(LEFT_OUT)];
    expect(named.toSorted()).toEqual(tables());
  });

  test('that have a reference to a wallet are exported', () => {
    const owned = columns.filter(({ column }) => OWNING.includes(column)).map(({ table }) => table);
    expect(owned.filter((table) => table in LEFT_OUT)).toEqual([]);
    expect(owned).toContain('webhook_secret');
  });
});

describe('an export', () => {
  test.each(EXPORTED)('has all columns of $table but what is secret', ({ table, without = {} }) => {
    const wanted = columns.filter((one) => one.table === table).map(({ column }) => column);
    const exported = lines.find((line) => line.table === table)?.row ?? {};
    expect([...Object.keys(exported), ...Object.keys(without)].toSorted()).toEqual(wanted);
  });

  test('has every row of the wallet and none of another, and ends with their numbers', async () => {
    const { rows: counts = {} } = lines.at(-1) ?? {};
    for (const { table } of EXPORTED) {
      const all = await rows.db.oneFirst(sql.type(z.object({ count: z.number() }))`
        select count(*)::int as count from ${sql.identifier([table])}
      `);
      // There are two wallets with the same rows.
      expect([table, counts[table]]).toEqual([table, all / 2]);
      expect(lines.filter((line) => line.table === table)).toHaveLength(all / 2);
    }
    const wallets = lines.map(({ row }) => row?.['wallet_id']).filter((id) => id !== undefined);
    expect(new Set(wallets)).toEqual(new Set([session.walletId]));
  });

  test('keeps all digits of an amount, and no secret', () => {
    expect(text).toContain('"amount": 9007199254740993');
    expect(text).not.toContain(Buffer.from('sealed').toString('hex'));
  });

  test('overwrites no file, and of a wallet that does not exist says so', async () => {
    await expect(exportWallet(join(folder, 'wallet.jsonl'))).rejects.toThrow('EEXIST');
    const walletId = '00000000-0000-0000-0000-000000000001';
    await expect(exportWallet(join(folder, 'none.jsonl'), walletId)).rejects.toThrow(
      `There is no wallet ${walletId}.`,
    );
  });
});
