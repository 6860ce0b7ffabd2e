import { createDatabase, isLockFault } from '@agent-wallet/db';
import type { Spend } from '@agent-wallet/spend';
import { Client } from 'pg';
import { afterAll, expect, test } from 'vitest';
import { useSpendRows } from '../../../../tests/support/database/spend-rows.ts';
import { createRefuseUnbroadcast } from './refuse-in-turns.ts';

const REFUSALS = 8;
/** Fewer than the refusals of one wallet. */
const POOL_SIZE = 2;

const rows = await useSpendRows();
const db = await createDatabase({ url: rows.url, poolSize: POOL_SIZE });
const holder = new Client({ connectionString: rows.url });
afterAll(async () => {
  await holder.end();
  await db.end();
});

test('refusals of a wallet whose row is held end with a fault, and no other wallet waits for them', async () => {
  const [held, other] = [await rows.createSession(), await rows.createSession()];
  const spends: Spend[] = [];
  for (let n = 0; n < REFUSALS; n += 1) spends.push(await rows.spendIn('in flight', held));
  const spendOfOther = await rows.spendIn('in flight', other);
  await holder.connect();
  await holder.query('begin');
  await holder.query('select from wallet where wallet_id = $1 for update', [held.walletId]);

  const refuse = createRefuseUnbroadcast(db);
  const refusal = { attempt: 1, code: 'RecipientNotAllowed', detail: 'RecipientNotAllowed' };
  let ended = 0;
  const faults = spends.map(async (spend) => {
    const fault: unknown = await refuse({ spend, ...refusal }).catch((error: unknown) => error);
    ended += 1;
    return isLockFault(fault);
  });
  expect(await refuse({ spend: spendOfOther, ...refusal })).toMatchObject({ status: 'rejected' });
  expect(ended).toBe(0);
  expect(new Set(await Promise.all(faults))).toEqual(new Set([true]));
});
