import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { drawWhole } from '../../support/rpc-proxy/draw.ts';
import type { Disturb } from '../row.ts';
import type { World } from '../world/world.ts';

/** Of a hundred changes of a spend so many cannot be committed. */
const REFUSED_PERCENT = 6;
const LOOK_EVERY_MS = 500;
const BETWEEN_MS = [500, 2_500] as const;
/** Meanwhile somebody takes the wallet and waits for one of its spends. */
const HELD_MS = 400;
const SPENDS_HELD = 8;

/**
 * Raised at commit, by a deferred trigger, as the server does when it cannot serialize. Which
 * changes are met follows from the seed and their number; sequences count what is rolled back too.
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

/** Serialization errors at commit, and deadlocks in which the product is the one that gives way. */
export const refuseCommits: Disturb = async (world, _cast, { signal, seed }) => {
  const url = world.database.directUrl;
  await using counting = await connect(url);
  for (const statement of statements(seed)) await counting.client.query(statement);
  try {
    await Promise.all([
      countRefusals(world, counting.client, signal),
      makeDeadlocks(url, { signal, seed }),
    ]);
  } finally {
    await counting.client.query('update chaos.refusing set is_on = false');
  }
};

/** Both kinds, as the server itself has counted them. */
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

/** Locks spends and then their wallet, against the order that everybody keeps. */
async function makeDeadlocks(
  url: string,
  { signal, seed }: { readonly signal: AbortSignal; readonly seed: string },
): Promise<void> {
  await using locking = await connect(url);
  // Whoever has waited for a second looks for a deadlock and gives way: that must not be us.
  await locking.client.query("set deadlock_timeout = '60s'");
  for (let n = 1; !signal.aborted; n += 1) {
    await delay(drawWhole(BETWEEN_MS, seed, 'deadlock', n));
    await locking.client.query('begin');
    const { rows } = await locking.client.query<{ wallet: string }>(`
      select wallet_id as wallet from spend
      where wallet_id = (
        select wallet_id from spend where status = 'in_flight' order by claimed_at desc limit 1)
        and status = 'in_flight'
      order by claimed_at desc limit ${SPENDS_HELD} for update skip locked
    `);
    const wallet = rows[0]?.wallet;
    if (wallet !== undefined) {
      await delay(HELD_MS);
      await locking.client.query('select 1 from wallet where wallet_id = $1 for update', [wallet]);
    }
    await locking.client.query('rollback');
  }
}

async function connect(url: string): Promise<AsyncDisposable & { readonly client: Client }> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  return { client, [Symbol.asyncDispose]: () => client.end() };
}
