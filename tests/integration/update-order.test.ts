/** SQL transactions that change the same rows in different orders can deadlock. */
import { closeLanded, type NewDelivery, postponeRefused, type Spend } from '@agent-wallet/spend';
import { Client } from 'pg';
import { sql } from 'slonik';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { confirmLandings } from '../../libs/spend/src/settle/confirm-landings.ts';
import { useSpendRows } from '../support/database/spend-rows.ts';
import { waitUntil } from '../support/wait-until.ts';

const ROWS = 8;
const LOCK_WAIT_MS = 10_000;
const DELIVERY: NewDelivery = {
  slug: 'weather',
  proof: 'x402',
  method: 'GET',
  url: 'https://example.com/',
  headers: {},
  body: null,
  requirement: '{}',
  resource: null,
};

const rows = await useSpendRows();
const holder = new Client({ connectionString: rows.url });
beforeAll(() => holder.connect());
afterAll(() => holder.end());

/** Expects `change` to hold no other row while it waits for the row of the lowest id. */
async function expectAscending(
  table: 'attempt_watch' | 'delivery',
  spends: readonly Spend[],
  change: () => Promise<unknown>,
): Promise<void> {
  const [lowest, ...others] = spends.map(({ spendId }) => spendId).toSorted();
  await holder.query('begin');
  await holder.query(`select from ${table} where spend_id = $1 for update`, [lowest]);
  const changing = change();
  await waitUntil('the change waits for a row', () =>
    rows.db.exists(sql.unsafe`
      select from pg_locks where not granted and pid in (
        select pid from pg_stat_activity where datname = current_database())
    `),
  );
  const free = await holder.query(
    `select from ${table} where spend_id = any($1) for update skip locked`,
    [others],
  );
  await holder.query('rollback');
  await changing;
  expect(free.rowCount).toBe(others.length);
}

async function spendsIn(state: Parameters<typeof rows.spendIn>[0]): Promise<readonly Spend[]> {
  const session = await rows.createSession();
  const spends: Spend[] = [];
  for (let n = 0; n < ROWS; n += 1) {
    const delivery = state.startsWith('facilitated') ? { delivery: DELIVERY } : {};
    spends.push(await rows.spendIn(state, session, delivery));
  }
  return spends;
}

test('landings are confirmed in ascending order of their watches', async () => {
  const spends = await spendsIn('in flight');
  await expectAscending('attempt_watch', spends, () =>
    confirmLandings(
      rows.db,
      spends.map(({ walletId, spendId, attempt, txSignature }) => ({
        walletId,
        spendId,
        attemptNo: attempt,
        signature: txSignature ?? '',
        slot: 1n,
      })),
      LOCK_WAIT_MS,
    ),
  );
  const open = await rows.db.any(sql.type(z.object({ spendId: z.string() }))`
    select spend_id as "spendId" from attempt_watch
  `);
  expect(open).toEqual([]);
});

test('deliveries of landed payments are closed in ascending order', async () => {
  const spends = await spendsIn('facilitated, confirmed');
  await expectAscending('delivery', spends, () => closeLanded(rows.db));
});

test('deliveries of refused payments are postponed without a wait', async () => {
  const [spend] = await spendsIn('facilitated, reverted');
  await holder.query('begin');
  await holder.query('select from delivery where spend_id = $1 for update', [spend?.spendId]);
  await postponeRefused(rows.db);
  await holder.query('rollback');
  const due = await rows.db.any(sql.type(z.object({ spendId: z.string() }))`
    select spend_id as "spendId" from delivery where try_at <= now()
  `);
  expect(due).toEqual([{ spendId: spend?.spendId }]);
});
