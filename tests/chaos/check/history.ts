import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';
import type { Allowed } from '../row.ts';
import { connect } from '../world/connect.ts';

const trigger = (name: string, when: string, body: string) => [
  `create function chaos.${name}() returns trigger language plpgsql security definer as $$
    begin ${body} return null; end $$`,
  `create trigger chaos_${name} after ${when} for each row execute function chaos.${name}()`,
];

/**
 * Triggers record what the rows do not keep: every change of a spend's status and who made it, who
 * held the lane when an attempt was stored, rows created while intake was closed, and its closings.
 * Processes are told apart by their application name. They have no right to write here, so the
 * triggers run as their owner.
 */
const STATEMENTS = [
  'create schema chaos',
  `create table chaos.transition (
    no bigint generated always as identity, spend_id uuid not null, was text, became text not null,
    attempt integer not null, broadcasts integer not null, code text,
    app text not null default current_setting('application_name'),
    at timestamptz not null default clock_timestamp())`,
  'create table chaos.holder (session_id uuid primary key, app text not null)',
  `create table chaos.claim (
    spend_id uuid not null, attempt integer not null, app text not null, holder text)`,
  'create table chaos.while_closed (spend_id uuid not null, what text not null)',
  'create table chaos.closing (reason text not null)',
  ...trigger(
    'record_transition',
    'insert or update on spend',
    `if tg_op = 'INSERT' or old.status <> new.status then
      insert into chaos.transition (spend_id, was, became, attempt, broadcasts, code)
      values (new.spend_id, case tg_op when 'UPDATE' then old.status end, new.status, new.attempt,
        new.broadcasts, new.code);
    end if;`,
  ),
  ...trigger(
    'record_holder',
    'update on lane',
    `if new.fence > old.fence then
      insert into chaos.holder values (new.session_id, current_setting('application_name'))
      on conflict (session_id) do update set app = excluded.app;
    end if;`,
  ),
  ...trigger(
    'record_claim',
    'insert on attempt',
    `insert into chaos.claim (spend_id, attempt, app, holder)
    select new.spend_id, new.attempt, current_setting('application_name'),
      (select app from chaos.holder where holder.session_id = new.session_id);`,
  ),
  ...trigger(
    'record_closing',
    'update on deployment',
    `if old.shut_at_height is null and new.shut_at_height is not null then
      insert into chaos.closing values (new.shut_reason);
    end if;`,
  ),
  ...['spend', 'attempt'].flatMap((table) =>
    trigger(
      `record_${table}_while_closed`,
      `insert on ${table}`,
      `if not is_open() then
        insert into chaos.while_closed values (new.spend_id, tg_table_name);
      end if;`,
    ),
  ),
];

/** Installs the triggers, before the first spend. */
export async function keepHistory(databaseUrl: string): Promise<void> {
  await using client = await connect(databaseUrl);
  for (const statement of STATEMENTS) await client.query(statement);
}

const LEGAL_TRANSITIONS = [
  'null→queued',
  'queued→in_flight',
  'queued→rejected',
  'in_flight→queued',
  'in_flight→confirmed',
  'in_flight→reverted',
  'in_flight→rejected',
  // An earlier attempt of the queued spend landed after all.
  'queued→confirmed',
  'confirmed→finalized',
  'reverted→rejected',
];

/** Legal only where the chain undoes a landing or shows a wrong one. */
const FORK_TRANSITIONS = ['reverted→confirmed', 'rejected→confirmed', 'confirmed→rejected'];

/** Describes violations of the invariants in the recorded histories. */
export async function findIllegalHistories(
  db: Database,
  { forks = false, restores = false }: Allowed,
): Promise<readonly string[]> {
  const legal = [...LEGAL_TRANSITIONS, ...(forks ? FORK_TRANSITIONS : [])];
  return db.anyFirst(sql.type(z.object({ sentence: z.string() }))`
    select format('spend %s went from %s to %s', spend_id, coalesce(was, 'null'), became)
      as sentence
    from chaos.transition
    where concat(coalesce(was, 'null'), '→', became) <> all(${sql.array(legal, 'text')})
    union all
    select format('spend %s was refused (%s) after its bytes were sent again', spend_id, code)
    from chaos.transition
    where was = 'in_flight' and became = 'rejected' and broadcasts > 0 and code <> 'NEVER_LANDED'
    union all
    select format('%s claimed attempt %s of %s while %s held the lane',
      app, attempt, spend_id, holder)
    from chaos.claim where app <> holder
    union all
    select format('spend %s: %s attempts, rows %s', spend_id, spend.attempt,
      array_to_string(stored, ','))
    from spend, lateral (
      select array_agg(one.attempt order by one.attempt) as stored from attempt as one
      where one.spend_id = spend.spend_id) as attempts
    where coalesce(stored, '{}') <> array(select generate_series(1, spend.attempt))
    union all
    select format('%s of %s was created while intake was closed', what, spend_id)
    from chaos.while_closed
    union all
    select format('intake was closed without a restore: %s', reason)
    from chaos.closing where not ${restores}
  `);
}
