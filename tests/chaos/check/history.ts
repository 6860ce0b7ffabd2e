import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';

/**
 * Triggers write down what the rows themselves forget: every change of a spend's status, and who
 * held the lane when an attempt was stored. Processes are told apart by their application name; they
 * may not write here themselves, so the triggers do it as their owner.
 */
const STATEMENTS = [
  sql.unsafe`create schema chaos`,
  sql.unsafe`create table chaos.edge (
    no bigint generated always as identity, spend_id uuid not null, was text, became text not null,
    attempt integer not null, broadcasts integer not null, code text)`,
  sql.unsafe`create table chaos.holder (session_id uuid primary key, app text not null)`,
  sql.unsafe`create table chaos.claim (
    spend_id uuid not null, attempt integer not null, app text not null, holder text)`,
  sql.unsafe`create function chaos.note_edge() returns trigger language plpgsql
    security definer as $$
    begin
      if tg_op = 'INSERT' then
        insert into chaos.edge (spend_id, was, became, attempt, broadcasts, code)
        values (new.spend_id, null, new.status, new.attempt, new.broadcasts, new.code);
      elsif old.status <> new.status then
        insert into chaos.edge (spend_id, was, became, attempt, broadcasts, code)
        values (new.spend_id, old.status, new.status, new.attempt, new.broadcasts, new.code);
      end if;
      return null;
    end $$`,
  sql.unsafe`create trigger chaos_edge after insert or update on spend
    for each row execute function chaos.note_edge()`,
  sql.unsafe`create function chaos.note_holder() returns trigger language plpgsql
    security definer as $$
    begin
      if new.fence > old.fence then
        insert into chaos.holder values (new.session_id, current_setting('application_name'))
        on conflict (session_id) do update set app = excluded.app;
      end if;
      return null;
    end $$`,
  sql.unsafe`create trigger chaos_holder after update on lane
    for each row execute function chaos.note_holder()`,
  sql.unsafe`create function chaos.note_claim() returns trigger language plpgsql
    security definer as $$
    begin
      insert into chaos.claim (spend_id, attempt, app, holder)
      select new.spend_id, new.attempt, current_setting('application_name'),
        (select app from chaos.holder where holder.session_id = new.session_id);
      return null;
    end $$`,
  sql.unsafe`create trigger chaos_claim after insert on attempt
    for each row execute function chaos.note_claim()`,
  sql.unsafe`create table chaos.while_shut (spend_id uuid not null, what text not null)`,
  sql.unsafe`create function chaos.note_while_shut() returns trigger language plpgsql
    security definer as $$
    begin
      if not is_open() then
        insert into chaos.while_shut values (new.spend_id, tg_table_name);
      end if;
      return null;
    end $$`,
  sql.unsafe`create trigger chaos_spend_while_shut after insert on spend
    for each row execute function chaos.note_while_shut()`,
  sql.unsafe`create trigger chaos_attempt_while_shut after insert on attempt
    for each row execute function chaos.note_while_shut()`,
];

/** Installs the triggers; the first spend must come later. */
export async function keepHistory(db: Database): Promise<void> {
  for (const statement of STATEMENTS) await db.query(statement);
}

const LEGAL_EDGES: ReadonlySet<string> = new Set([
  'null→queued',
  'queued→in_flight',
  'queued→rejected',
  'in_flight→queued',
  'in_flight→confirmed',
  'in_flight→reverted',
  'in_flight→rejected',
  // The attempt before the one that is queued again landed after all.
  'queued→confirmed',
  'confirmed→finalized',
  'reverted→rejected',
]);

/** Legal only where the chain itself takes a landing back or shows a wrong one. */
const FORK_EDGES: ReadonlySet<string> = new Set([
  'reverted→confirmed',
  'rejected→confirmed',
  'confirmed→rejected',
]);

const edgeRow = z.object({ spendId: z.string(), was: z.string().nullable(), became: z.string() });
const claimRow = z.object({
  spendId: z.string(),
  attempt: z.number(),
  app: z.string(),
  holder: z.string().nullable(),
});
const refusedRow = z.object({ spendId: z.string(), code: z.string().nullable() });
const shutRow = z.object({ spendId: z.string(), what: z.string() });
const numberRow = z.object({ spendId: z.string(), attempt: z.number(), stored: z.string() });

/** Everything in the histories that no life of a spend may hold, in sentences. */
export async function findIllegalHistories(
  db: Database,
  { forks }: { readonly forks: boolean },
): Promise<readonly string[]> {
  const edges = await db.any(sql.type(edgeRow)`
    select spend_id as "spendId", was, became from chaos.edge order by no
  `);
  const illegalEdges = edges
    .filter(({ was, became }) => {
      const edge = `${was}→${became}`;
      return !LEGAL_EDGES.has(edge) && !(forks && FORK_EDGES.has(edge));
    })
    .map(({ spendId, was, became }) => `spend ${spendId} went from ${was} to ${became}`);
  const refused = await db.any(sql.type(refusedRow)`
    select spend_id as "spendId", code from chaos.edge
    where was = 'in_flight' and became = 'rejected' and broadcasts > 0 and code <> 'NEVER_LANDED'
  `);
  const tooLate = refused.map(
    ({ spendId, code }) => `spend ${spendId} was refused (${code}) after its bytes went out again`,
  );
  const claims = await db.any(sql.type(claimRow)`
    select spend_id as "spendId", attempt, app, holder from chaos.claim where app <> holder
  `);
  const strangers = claims.map(
    ({ spendId, attempt, app, holder }) =>
      `${app} claimed attempt ${attempt} of ${spendId} while ${holder} held the lane`,
  );
  const numbered = await db.any(sql.type(numberRow)`
    select spend.spend_id as "spendId", spend.attempt,
      coalesce(string_agg(attempt.attempt::text, ',' order by attempt.attempt), '') as stored
    from spend left join attempt on attempt.spend_id = spend.spend_id
    group by spend.spend_id, spend.attempt
  `);
  const gaps = numbered
    .filter(({ attempt, stored }) => stored !== upTo(attempt))
    .map(({ spendId, attempt, stored }) => `spend ${spendId}: ${attempt} attempts, rows ${stored}`);
  const whileShut = await db.any(sql.type(shutRow)`
    select spend_id as "spendId", what from chaos.while_shut
  `);
  const early = whileShut.map(({ spendId, what }) => `${what} of ${spendId} was made while shut`);
  return [...illegalEdges, ...tooLate, ...strangers, ...gaps, ...early];
}

const upTo = (count: number): string =>
  Array.from({ length: count }, (_, index) => index + 1).join(',');
