import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';
import { callApi } from '../../support/http/http-owner.ts';
import { waitUntil } from '../../support/wait-until.ts';
import type { Target } from '../target.ts';
import type { Party } from './party.ts';

/** The owner's own resources. */
const READS = [
  '/v1/wallet',
  '/v1/wallet/policy',
  '/v1/session',
  '/v1/webhooks',
  '/v1/audit?limit=200',
];
/** The names of the program's instructions are in the audit log as well. */
const IDL = '/v1/config/idl';
const LEAST_CHARS = 12;
const ISO_TIME = /^\d{4}-\d{2}-\d{2}T/;

/** Tables in which lanes, watchers and the sender of webhooks change rows by themselves. */
const RESTLESS_TABLES = ['lane', 'attempt', 'webhook_delivery'];
/** Columns that any observation of the chain or of a receiver of webhooks may update. */
const RESTLESS_COLUMNS = ['last_settled_slot', 'deployed_seen', 'active_slot', 'failing_since'];

/** Returns ids, addresses, signatures, URLs and amounts that only `party` can read. */
export async function marksOf(
  target: Target,
  party: Party,
  others: readonly Party[],
): Promise<ReadonlySet<string>> {
  const seenByOthers = await Promise.all(others.map((other) => wordsOf(target, other)));
  const idl = leavesOf((await callApi(target.system, 'GET', IDL)).body);
  const common = new Set([...seenByOthers.flat(), ...idl]);
  return new Set((await wordsOf(target, party)).filter((word) => !common.has(word)));
}

async function wordsOf({ system }: Target, { owner }: Party): Promise<string[]> {
  const headers = { cookie: owner.cookie };
  const answers = await Promise.all(
    READS.map(async (path) => (await callApi(system, 'GET', path, { headers })).body),
  );
  return leavesOf(answers).filter(
    (word) => !ISO_TIME.test(word) && (word.length >= LEAST_CHARS || /^\d{7,}$/.test(word)),
  );
}

function leavesOf(value: unknown): string[] {
  if (typeof value === 'string' || typeof value === 'number') return [String(value)];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(leavesOf);
}

/** Returns the ids of an agent's session. Its wallet and policy belong to its siblings as well. */
export const marksOfSession = ({ session, sessionPubkey, recipient, spendId }: Party) =>
  new Set([session.sessionId, session.sessionPda, sessionPubkey, recipient, spendId]);

/** Returns a digest of all rows of an owner for each table. */
export type ReadPossessions = () => Promise<ReadonlyMap<string, string>>;

/** Waits until no row of the owner changes by itself any more. */
export async function comeToRest(target: Target, { owner }: Party, events: number): Promise<void> {
  await waitUntil(
    'the spends to be final and the log to hold what the owner did',
    () =>
      target.fixture.db.exists(sql.unsafe`
        select 1 from wallet w
        where wallet_id = ${owner.walletId}::uuid
          and not exists (
            select 1 from spend s where s.wallet_id = w.wallet_id and s.finalized_at is null
              and s.status <> 'rejected')
          and ${events} <= (
            select count(*) from audit a
            where a.wallet_id = w.wallet_id and a.session_id is null)
      `),
    { timeoutMs: 60_000, intervalMs: 100 },
  );
}

/** Covers the tables with a `wallet_id`, present and future, the owner's cookies and secrets. */
export async function createReadWallet({ fixture }: Target, { owner }: Party) {
  const tables = await listTables(fixture.db, 'wallet_id');
  const cookies = sql.fragment`
    select 'owner_session', to_jsonb(t) from owner_session t
    where owner = ${owner.keypair.publicKey.toBase58()}`;
  const secrets = sql.fragment`
    select 'webhook_secret', to_jsonb(t)
    from webhook_secret t join webhook_endpoint e on e.endpoint_id = t.endpoint_id
    where e.wallet_id = ${owner.walletId}::uuid`;
  const ofWallet = selectRows(tables, 'wallet_id', owner.walletId);
  return readDigests(fixture.db, [...ofWallet, cookies, secrets]);
}

/** Covers the tables with a `session_id`. */
export async function createReadSession({ fixture }: Target, { session }: Party) {
  const tables = await listTables(fixture.db, 'session_id');
  return readDigests(fixture.db, selectRows(tables, 'session_id', session.sessionId));
}

type Column = 'wallet_id' | 'session_id';

async function listTables(db: Database, column: Column): Promise<readonly string[]> {
  return db.anyFirst(sql.type(z.object({ name: z.string() }))`
    select table_name as name from information_schema.columns
    where table_schema = 'public' and column_name = ${column}
      and table_name <> all(${sql.array(RESTLESS_TABLES, 'text')})
    order by table_name
  `);
}

const selectRows = (tables: readonly string[], column: Column, id: string) =>
  tables.map(
    (table) => sql.fragment`
      select ${table}::text as name, to_jsonb(t) - ${sql.array(RESTLESS_COLUMNS, 'text')} as row
      from ${sql.identifier([table])} t where ${sql.identifier([column])} = ${id}::uuid`,
  );

function readDigests(db: Database, parts: ReturnType<typeof selectRows>): ReadPossessions {
  const rows = sql.join(parts, sql.fragment` union all `);
  return async () => {
    const read = await db.any(sql.type(z.object({ name: z.string(), content: z.string() }))`
      select name, md5(string_agg(row::text, ',' order by row::text)) as content
      from (${rows}) as everything group by name
    `);
    return new Map(read.map(({ name, content }) => [name, content]));
  };
}

/** Returns the names of the tables that differ. */
export function differencesOf(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): string[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].filter((name) => before.get(name) !== after.get(name));
}
