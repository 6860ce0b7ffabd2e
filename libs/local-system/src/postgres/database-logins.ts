import { randomBytes } from 'node:crypto';
import { DATABASE_ROLES } from '@agent-wallet/db';
import { Client } from 'pg';
import { StartError } from '../system/start-error.ts';

/** The holder of a login: a process that uses the database, or a side of the command line. */
export type LoginOwner = keyof typeof DATABASE_ROLES;

/** A connection string for each of them. */
export type DatabaseUrls = Readonly<Record<LoginOwner, string>>;

export interface DatabaseLogins {
  readonly urls: DatabaseUrls;
  /** Drops the logins; no connection may still use them. */
  drop(): Promise<void>;
}

/**
 * Creates a login with a random password for each role, for this one system: several systems may
 * share a cluster, so the names are random too. Throws StartError when the user of `ownerUrl` may
 * not create logins.
 */
export async function createDatabaseLogins(ownerUrl: string): Promise<DatabaseLogins> {
  const suffix = randomBytes(6).toString('hex');
  const logins = Object.values(DATABASE_ROLES).map((role) => ({
    role,
    name: `${role}_${suffix}`,
    password: randomBytes(24).toString('base64url'),
  }));
  const create = logins.map(
    ({ name, role, password }) =>
      `create role ${name} login password '${password}' in role ${role}`,
  );
  try {
    await runAsOwner(ownerUrl, create.join('; '));
  } catch (cause) {
    throw new StartError(
      'The user of DATABASE_URL could not create a login for each process: it needs CREATEROLE, and ' +
        'the admin option on the roles agent_wallet_* if another user created them.',
      { cause },
    );
  }
  const urlOf = (owner: LoginOwner): string => {
    const login = logins.find(({ role }) => role === DATABASE_ROLES[owner]);
    const { name: username, password } = login ?? { name: '', password: '' };
    return Object.assign(new URL(ownerUrl), { username, password }).href;
  };
  return {
    urls: {
      api: urlOf('api'),
      'tx-worker': urlOf('tx-worker'),
      'confirm-worker': urlOf('confirm-worker'),
      operator: urlOf('operator'),
      auditor: urlOf('auditor'),
    },
    drop: () => runAsOwner(ownerUrl, `drop role ${logins.map(({ name }) => name).join(', ')}`),
  };
}

async function runAsOwner(ownerUrl: string, statements: string): Promise<void> {
  const client = new Client({ connectionString: ownerUrl });
  await client.connect();
  try {
    await client.query(statements);
  } finally {
    await client.end();
  }
}
