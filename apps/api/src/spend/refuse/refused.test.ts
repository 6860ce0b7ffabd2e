import { verifyAudit } from '@agent-wallet/audit';
import { type FragmentSqlToken, sql } from 'slonik';
import { afterEach, expect, test } from 'vitest';
import { z } from 'zod';
import { type RowSession, useSpendRows } from '../../../../../tests/support/database/spend-rows.ts';
import { whileWalletHeld } from '../../../../../tests/support/database/while-wallet-held.ts';
import { createDenyRequest } from './refused.ts';

const rows = await useSpendRows();

afterEach(() => rows.db.query(sql.unsafe`drop function if exists roll_back() cascade`));

/** Has Postgres roll back the insertion of audit rows for which the condition is true. */
async function rollBack(condition: FragmentSqlToken): Promise<void> {
  await rows.db.query(sql.unsafe`
    create function roll_back() returns trigger language plpgsql as $$
    begin
      if ${condition} then raise sqlstate '40P01'; end if;
      return new;
    end
    $$
  `);
  await rows.db.query(sql.unsafe`
    create trigger roll_back before insert on audit for each row execute function roll_back()
  `);
}

/** Refuses requests outside the time window, through what one process shares. */
function openRefusals(): (session: RowSession, amount: bigint) => Promise<unknown> {
  const denyRequest = createDenyRequest({ db: rows.db, limitRefusals: async () => null });
  return (session, amount) =>
    denyRequest(
      {
        agent: { ...session, vaultUsdcAta: '' },
        kind: 'transfer',
        amount,
        recipient: null,
        url: null,
      },
      { kind: 'outside_time_window', opensAtMs: null },
    );
}

async function denialsOf(walletIds: readonly string[]) {
  const denial = z.object({ amount: z.bigint(), commit: z.string() });
  return rows.db.any(sql.type(denial)`
    select amount, xmin::text as commit from audit
    where wallet_id = any(${sql.array(walletIds, 'uuid')}) order by audit_no
  `);
}

test('refusals that come together are one commit, with a row each in its wallet', async () => {
  const refuse = openRefusals();
  const sessions = [await rows.createSession(), await rows.createSession()];
  const refusals = [1n, 2n, 3n].flatMap((amount) =>
    sessions.map((session) => refuse(session, amount)),
  );
  await Promise.all(refusals);
  const denials = await denialsOf(sessions.map(({ walletId }) => walletId));
  expect(new Set(denials.map(({ commit }) => commit)).size).toBe(1);
  for (const { walletId } of sessions) {
    expect((await denialsOf([walletId])).map(({ amount }) => amount)).toEqual([1n, 2n, 3n]);
    expect(await verifyAudit(rows.db, walletId)).toEqual({ kind: 'intact', rows: 3n });
  }
});

test('refusals wait for the row of their wallet, and those of other wallets do not', async () => {
  const refuse = openRefusals();
  const sessions = [await rows.createSession(), await rows.createSession()];
  for (const held of sessions) {
    const waiting = await whileWalletHeld(rows.db, held, async () => {
      const before = await denialsOf([held.walletId]);
      const refusals = [refuse(held, 1n), refuse(held, 2n)];
      for (const other of sessions) if (other !== held) await refuse(other, 3n);
      expect(await denialsOf([held.walletId])).toEqual(before);
      return refusals;
    });
    await Promise.all(waiting);
  }
  for (const { walletId } of sessions) {
    expect(await verifyAudit(rows.db, walletId)).toEqual({ kind: 'intact', rows: 3n });
  }
});

test('a row that Postgres rolled back because of others is written again', async () => {
  await rows.db.query(sql.unsafe`create sequence tries`);
  const session = await rows.createSession();
  await rollBack(sql.fragment`nextval('tries') = 1`);
  await openRefusals()(session, 1n);
  expect(await verifyAudit(rows.db, session.walletId)).toEqual({ kind: 'intact', rows: 1n });
});

test('a row that is rolled back again and again fails alone', async () => {
  const refuse = openRefusals();
  const session = await rows.createSession();
  await rollBack(sql.fragment`new.amount = 2`);
  const results = await Promise.allSettled([1n, 2n, 3n].map((amount) => refuse(session, amount)));
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
});
