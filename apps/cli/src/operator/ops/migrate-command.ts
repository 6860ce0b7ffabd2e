import {
  createDatabase,
  grantRoles,
  migrate,
  readSchema,
  type SchemaState,
} from '@agent-wallet/db';
import { isQueueMigrated, migrateQueue } from '@agent-wallet/queue';
import { EXIT } from '../../cli-error.ts';
import type { Context } from '../../command-line/add-command.ts';
import { done, type Outcome } from '../../command-line/outcome.ts';
import type { OpsConfig } from '../config.ts';

type Migrating = Pick<OpsConfig, 'databaseUrl'>;

/** `ops migrate`: brings schema, queue and roles up to date, as the owner of the tables. */
export async function migrateCommand(
  { databaseUrl }: Migrating,
  { terminal }: Pick<Context, 'terminal'>,
): Promise<Outcome> {
  const applied: string[] = [];
  const work = async (): Promise<void> => {
    await migrate(databaseUrl, {
      log: (line) => {
        if (line.startsWith('applied ')) applied.push(line.slice('applied '.length));
        terminal.note(line);
      },
    });
    await migrateQueue(databaseUrl);
    await grantRoles(databaseUrl);
  };
  await terminal.whileWaiting('migrating', work());
  const words = applied.length === 0 ? 'was up to date' : `has ${applied.length} new migrations`;
  return done(`The schema ${words}; the queue and the roles are up to date.`, { applied });
}

/** `ops migrate --status`: what is applied and what is pending. Exit code 1 unless all is. */
export async function migrationStatusCommand({ databaseUrl }: Migrating): Promise<Outcome> {
  await using stack = new AsyncDisposableStack();
  const db = await createDatabase({ url: databaseUrl, poolSize: 1, prepare: false });
  stack.defer(() => db.end());
  const schema = await readSchema(db);
  const isQueueReady = await isQueueMigrated(databaseUrl);
  const json = {
    applied: schema.applied,
    pending: schema.pending,
    unknown: schema.unknown,
    changed: schema.changed,
    roles: schema.areRolesCurrent,
    queue: isQueueReady,
  };
  const lines = [
    ...schema.applied.map((name) => `applied  ${name}`),
    ...schema.pending.map((name) => `pending  ${name}`),
    ...schema.changed.map((name) => `changed  ${name}: applied with another text`),
    ...schema.unknown.map((name) => `unknown  ${name}: of a newer version`),
    `${schema.areRolesCurrent ? 'applied' : 'pending'}  roles.sql`,
    `${isQueueReady ? 'applied' : 'pending'}  tables of the queue`,
  ];
  const isCurrent = isUpToDate(schema) && isQueueReady;
  if (isCurrent) return done(lines, json);
  return { exitCode: EXIT.refused, text: lines.join('\n'), json };
}

const isUpToDate = ({ pending, unknown, changed, areRolesCurrent }: SchemaState): boolean =>
  [...pending, ...unknown, ...changed].length === 0 && areRolesCurrent;
