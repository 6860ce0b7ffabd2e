import type { LoginOwner } from '@agent-wallet/local-system/postgres/database-logins.ts';
import { needOf } from './needs.ts';

/** One statement, and whether the role needs it. */
export type Try = { readonly statement: string; readonly isNeeded: boolean };

/** A table by the name that its search path wants, with its columns. */
export type Table = { readonly name: string; readonly columns: readonly string[] };

/** Every verb on a table and on each of its columns; nothing is changed by any. */
export function triesOfTable(who: LoginOwner, { name, columns }: Table): Try[] {
  const need = needOf(who, name);
  const isNeeded = (verb: 'select' | 'insert' | 'update', column: string): boolean => {
    const columnsOfVerb = need[verb];
    return columnsOfVerb === '*' || columnsOfVerb?.includes(column) === true;
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
    ...columns.flatMap((column) => [
      {
        statement: `select "${column}" from ${name} limit 1`,
        isNeeded: isNeeded('select', column),
      },
      {
        statement: `insert into ${name} ("${column}") values (default)`,
        isNeeded: isNeeded('insert', column),
      },
      {
        statement: `update ${name} set "${column}" = default where false`,
        isNeeded: isNeeded('update', column),
      },
    ]),
    { statement: `delete from ${name} where false`, isNeeded: need.delete === true },
    ...denied.map((statement) => ({ statement, isNeeded: false })),
  ];
}

/** What no role may do, whatever the tables are. */
export function triesOfCluster(others: {
  /** The groups and logins that are not its own. */
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
