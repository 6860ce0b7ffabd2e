import { DATABASE_ROLES } from '@agent-wallet/db';
import { Client, DatabaseError } from 'pg';
import {
  createDatabaseLogins,
  type DatabaseUrls,
  type LoginOwner,
} from '@agent-wallet/local-system/postgres/database-logins.ts';
import { migrateDatabase } from '@agent-wallet/migration';
import { type Table, triesOfCluster, triesOfTable, type Try } from '../database-roles/tries.ts';
import { type Cases, createCases, type Surface } from '../surface.ts';

const DENIED = '42501';
/** Raised by the triggers that make rows immutable. */
const IMMUTABLE = '23001';

const OWNERS: readonly LoginOwner[] = ['api', 'tx-worker', 'confirm-worker', 'operator', 'auditor'];

/**
 * The statement that makes each mutant. `$api` is the login of the api, `$database` its database.
 */
const MUTANTS = {
  'keys-unreadable-to-api': 'grant select on session_key to agent_wallet_api',
  'no-deletion-of-audit': 'grant delete on audit to agent_wallet_tx_worker',
  'rights-by-column': 'grant update (wire) on attempt to agent_wallet_confirm_worker',
  'nothing-for-public': 'grant select on api_key to public',
  'no-tables-of-their-own': 'grant create on schema public to agent_wallet_api',
  'no-temporary-tables': 'grant temporary on database $database to public',
  'one-role-each': 'grant agent_wallet_tx_worker to $api',
  'audit-trigger': 'drop trigger audit_is_append_only on audit',
} as const;

/** An attacker has the database login of a process or of the command line. */
export const databaseRoles: Surface = {
  name: 'database roles',
  leastCases: 4_000,
  mutants: Object.keys(MUTANTS),
  attack: async ({ mutant, createDatabase }) => {
    const cases = createCases();
    await using stack = new AsyncDisposableStack();
    const { url } = stack.use(await createDatabase());
    await migrateDatabase(url);
    const logins = await createDatabaseLogins(url);
    stack.defer(() => logins.drop());
    const owner = await connect(stack, url);
    if (mutant !== null) await owner.query(mutationOf(mutant, url, logins.urls));
    const tables = await listTables(owner);
    const roles = allRoles(logins.urls);
    for (const who of OWNERS) {
      const client = await connect(stack, logins.urls[who]);
      const own = [DATABASE_ROLES[who], new URL(logins.urls[who]).username];
      const others = { roles: roles.filter((role) => !own.includes(role)), database: nameOf(url) };
      const tries = [
        ...tables.flatMap((table) => triesOfTable(who, table)),
        ...triesOfCluster(others),
      ];
      for (const one of tries) await tryAs(cases, who, client, one);
      await cases.try(`${who}: rights over the cluster`, () => clusterRights(client, own));
    }
    await tryAsOwner(cases, owner);
    return cases.report();
  },
};

async function tryAs(
  cases: Cases,
  who: string,
  client: Client,
  { statement, isNeeded }: Try,
): Promise<void> {
  await cases.try(`${who}: ${statement}`, async () => {
    const isDenied = (await stateOf(client, statement)) === DENIED;
    if (isDenied === !isNeeded) return null;
    return isDenied ? 'is denied but needed' : 'is not denied';
  });
}

/** Reads the rights that no statement in an SQL transaction can prove. */
async function clusterRights(client: Client, own: readonly string[]): Promise<string | null> {
  const { rows } = await client.query<{ name: string }>(
    `select rolname as name from pg_roles
    where pg_has_role(current_user, oid, 'member') and (rolname <> all ($1)
      or rolsuper or rolcreatedb or rolcreaterole or rolreplication or rolbypassrls)`,
    [own],
  );
  return rows[0] === undefined ? null : `has those of ${rows[0].name}`;
}

/** The owner of the tables cannot change immutable rows either, without altering the tables. */
async function tryAsOwner(cases: Cases, owner: Client): Promise<void> {
  for (const statement of [
    `update audit set reason = 'another'`,
    'delete from audit',
    'truncate audit',
    `update unexplained set detail = 'another'`,
    'delete from unexplained',
    'truncate unexplained',
  ]) {
    await cases.try(`owner: ${statement}`, async () => {
      const state = await stateOf(owner, `${ROWS}; ${statement}`);
      return state === IMMUTABLE ? null : `ended with ${state}`;
    });
  }
}

const ROWS = `
  insert into wallet (wallet_id, owner, vault_pda, vault_usdc_ata)
    values ('00000000-0000-4000-8000-000000000001', 'owner', 'vault', 'ata');
  insert into audit (wallet_id, seq, action, decision, reason, created_at, previous_hash, hash)
    select wallet_id, 1, 'transfer', 'deny', 'why', now(), audit_head, audit_head from wallet;
  insert into unexplained (kind, subject, wallet_id, detail)
    select 'second_landing', 'subject', wallet_id, 'detail' from wallet`;

/** Returns a statement's SQLSTATE and rolls it back. */
async function stateOf(client: Client, statement: string): Promise<string> {
  try {
    await client.query(`begin; ${statement}; rollback`);
    return 'success';
  } catch (error) {
    await client.query('rollback');
    if (error instanceof DatabaseError && error.code !== undefined) return error.code;
    throw error;
  }
}

async function connect(stack: AsyncDisposableStack, connectionString: string): Promise<Client> {
  const client = new Client({ connectionString });
  await client.connect();
  stack.defer(() => client.end());
  return client;
}

/** Returns all tables of the database, so that the checks cover new ones. */
async function listTables(owner: Client): Promise<Table[]> {
  const { rows } = await owner.query<{ name: string; columns: string[] }>(`
    select case nspname when 'public' then relname else nspname || '.' || relname end as name,
      array_agg(attname::text order by attnum) as columns
    from pg_attribute
    join pg_class on pg_class.oid = attrelid and relkind in ('r', 'p')
    join pg_namespace on pg_namespace.oid = relnamespace and nspname in ('public', 'bullmq')
    where attnum > 0 and not attisdropped
    group by nspname, relname
    order by nspname desc, relname`);
  return rows;
}

function mutationOf(mutant: string, databaseUrl: string, urls: DatabaseUrls): string {
  const statement = Object.entries(MUTANTS).find(([name]) => name === mutant)?.[1];
  if (statement === undefined) throw new Error(`there is no mutant ${mutant}`);
  return statement
    .replace('$api', new URL(urls.api).username)
    .replace('$database', nameOf(databaseUrl));
}

function allRoles(urls: DatabaseUrls): string[] {
  const logins = OWNERS.map((who) => new URL(urls[who]).username);
  return [...Object.values(DATABASE_ROLES), ...logins];
}

const nameOf = (databaseUrl: string): string => new URL(databaseUrl).pathname.slice(1);
