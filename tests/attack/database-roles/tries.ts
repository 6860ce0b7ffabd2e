import type { LoginOwner } from '@agent-wallet/local-system/postgres/database-logins.ts';
import { needOf } from './needs.ts';

/** One statement, and whether the role needs it. */
export type Try = { readonly statement: string; readonly isNeeded: boolean };

/** A table, by its name on the search path, and its columns. */
export type Table = { readonly name: string; readonly columns: readonly string[] };

const statementOf = {
  select: (table: string, column: string) => `select "${column}" from ${table} limit 1`,
  insert: (table: string, column: string) => `insert into ${table} ("${column}") values (default)`,
  update: (table: string, column: string) =>
    `update ${table} set "${column}" = default where false`,
};

/** Returns statements for every verb on a table and its columns. None changes a row. */
export function triesOfTable(who: LoginOwner, { name, columns }: Table): Try[] {
  const need = needOf(who, name);
  const isNeeded = (verb: keyof typeof statementOf, column: string): boolean => {
    const columnsOfVerb = need[verb]?.trim().split(/\s+/) ?? [];
    return columnsOfVerb.includes('*') || columnsOfVerb.includes(column);
  };
  const denied = [
    `truncate ${name}`,
    `drop table ${name}`,
    `alter table ${name} add column planted text`,
    `alter table ${name} disable trigger all`,
    `alter table ${name} owner to current_user`,
    `create index on ${name} ((1))`,
    `create trigger planted before insert on ${name} for each row
      execute function suppress_redundant_updates_trigger()`,
    `create rule planted as on insert to ${name} do instead nothing`,
    `create policy planted on ${name}`,
  ];
  return [
    ...columns.flatMap((column) =>
      (['select', 'insert', 'update'] as const).map((verb) => ({
        statement: statementOf[verb](name, column),
        isNeeded: isNeeded(verb, column),
      })),
    ),
    { statement: `delete from ${name} where false`, isNeeded: need.delete === true },
    ...denied.map((statement) => ({ statement, isNeeded: false })),
  ];
}

/** Returns statements beyond single tables, which no role may run. */
export function triesOfCluster(others: {
  /** Group roles and logins of others. */
  readonly roles: readonly string[];
  readonly database: string;
}): Try[] {
  const statements = [
    'create table planted ()',
    'create table public.planted ()',
    'create table bullmq.planted ()',
    'create sequence public.planted',
    'create temporary table planted ()',
    'create view public.planted as select 1',
    'create type public.planted as (one int)',
    'create function public.planted() returns int language sql as $$ select 1 $$',
    'create or replace function is_open() returns boolean language sql as $$ select true $$',
    'drop function is_open()',
    'alter function database_identity() security definer',
    'create schema planted',
    'create extension dblink',
    `alter database ${others.database} set search_path = planted`,
    `alter database ${others.database} owner to current_user`,
    'create role planted',
    'create role planted superuser',
    'alter role current_user superuser',
    'alter role current_user createrole',
    `set session_replication_role = 'replica'`,
    'select pg_reload_conf()',
    `select pg_read_file('postgresql.conf')`,
    `select pg_ls_dir('.')`,
    `select lo_import('/etc/hostname')`,
    `copy audit to program 'cat'`,
    `copy audit to '/tmp/planted'`,
    `copy service from program 'true'`,
    'select rolpassword from pg_authid',
    'select passwd from pg_shadow',
    'create event trigger planted on ddl_command_start execute function refuse_audit_change()',
    'create publication planted for all tables',
    'checkpoint',
    ...others.roles.flatMap((role) => [
      `set role ${role}`,
      `set session authorization ${role}`,
      `grant ${role} to current_user`,
      `alter role ${role} password 'planted'`,
      `drop role ${role}`,
    ]),
  ];
  return statements.map((statement) => ({ statement, isNeeded: false }));
}
