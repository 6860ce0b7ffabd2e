import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';
import { drawWhole } from '../../support/rpc-proxy/draw.ts';
import type { Disturb } from '../row.ts';
import { connect } from '../world/connect.ts';
import type { World } from '../world/world.ts';

/** Share of a spend's changes that cannot be committed. */
const REFUSED_PERCENT = 6;
const LOOK_EVERY_MS = 500;
const BETWEEN_MS = [500, 2_500] as const;
/** Long enough for the product to lock the wallet and wait for one of its spends. */
const HELD_MS = 400;
const SPENDS_HELD = 8;
/** Below the product's limit of a lock wait, which would end the wait before the check. */
const CHECK_AFTER_MS = 100;

/**
 * A deferred trigger raises a serialization error at commit. The seed and the number of a change
 * decide which commits fail. Sequences also count changes that are rolled back.
 */
const statements = (seed: string): readonly string[] => [
  'create sequence chaos.change',
  'create sequence chaos.refusal',
  'create table chaos.refusing (is_on boolean not null)',
  'insert into chaos.refusing values (true)',
  `create function chaos.refuse_some() returns trigger language plpgsql
    security definer as $$
    begin
      if (select is_on from chaos.refusing)
        and abs(hashtext('${seed.replaceAll("'", '')}' || nextval('chaos.change'))) % 100
          < ${REFUSED_PERCENT}
      then
        perform nextval('chaos.refusal');
        raise exception 'could not serialize access' using errcode = '40001';
      end if;
      return null;
    end $$`,
  `create constraint trigger chaos_refuse after insert or update on spend
    deferrable initially deferred for each row execute function chaos.refuse_some()`,
];

/** Causes serialization errors at commit, and deadlocks in which the product is the victim. */
export const refuseCommits: Disturb = async (world, _cast, { signal, seed }) => {
  const url = world.database.directUrl;
  await using client = await connect(url);
  for (const statement of statements(seed)) await client.query(statement);
  try {
    await Promise.all([countRefusals(world, client, signal), makeDeadlocks(url, { signal, seed })]);
  } finally {
    await client.query('update chaos.refusing set is_on = false');
  }
};

/** Counts both kinds of fault from the server's own statistics. */
async function countRefusals(world: World, client: Client, signal: AbortSignal): Promise<void> {
  const counted = { 'refused commit': 0, deadlock: 0 };
  while (!signal.aborted) {
    await delay(LOOK_EVERY_MS);
    const { rows } = await client.query<{ kind: keyof typeof counted; happened: string }>(`
      select 'refused commit' as kind, case when is_called then last_value else 0 end as happened
      from chaos.refusal
      union all
      select 'deadlock', deadlocks from pg_stat_database where datname = current_database()
    `);
    for (const { kind, happened } of rows) {
      for (; counted[kind] < Number(happened); counted[kind] += 1) world.countFault(kind);
    }
  }
}

/** Locks spends before their wallet, the reverse of the product's order. */
async function makeDeadlocks(
  url: string,
  { signal, seed }: { readonly signal: AbortSignal; readonly seed: string },
): Promise<void> {
  await using client = await connect(url);
  // The first session to check for the deadlock is the victim: that must be the product's.
  await client.query(`alter system set deadlock_timeout = '${CHECK_AFTER_MS}ms'`);
  await client.query('select pg_reload_conf()');
  await client.query("set deadlock_timeout = '60s'");
  for (let n = 1; !signal.aborted; n += 1) {
    await delay(drawWhole(BETWEEN_MS, seed, 'deadlock', n));
    await client.query('begin');
    const { rows } = await client.query<{ wallet: string }>(`
      select wallet_id as wallet from spend
      where wallet_id = (
        select wallet_id from spend where status = 'in_flight' order by claimed_at desc limit 1)
        and status = 'in_flight'
      order by claimed_at desc limit ${SPENDS_HELD} for update skip locked
    `);
    const wallet = rows[0]?.wallet;
    if (wallet !== undefined) {
      await delay(HELD_MS);
      await client.query('select 1 from wallet where wallet_id = $1 for update', [wallet]);
    }
    await client.query('rollback');
  }
}
