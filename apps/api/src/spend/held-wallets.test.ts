import { createDatabase, isLockFault } from '@agent-wallet/db';
import type { Spend } from '@agent-wallet/spend';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { requestedTransfer } from '../../../../tests/support/database/made-up-spends.ts';
import { type RowSession, useSpendRows } from '../../../../tests/support/database/spend-rows.ts';
import { createAcceptSpend } from './accept/batch-acceptances.ts';
import { createCancelSpend } from './answer/cancel-spend.ts';
import { createDenyRequest } from './refuse/refused.ts';

const HELD_WALLETS = 5;
const REQUESTS_EACH = 20;
/** Fewer than the requests of one of the wallets. */
const POOL_SIZE = 6;

const rows = await useSpendRows();
const db = await createDatabase({ url: rows.url, poolSize: POOL_SIZE });
afterAll(() => db.end());

/** Sessions of wallets whose rows are locked, each with a queued spend. */
const held: { readonly session: RowSession; readonly queued: Spend }[] = [];
const holder = new Client({ connectionString: rows.url });

beforeAll(async () => {
  await holder.connect();
  await holder.query('begin');
  for (let n = 0; n < HELD_WALLETS; n += 1) {
    const session = await rows.createSession();
    held.push({ session, queued: await rows.accept(session) });
    await holder.query('select from wallet where wallet_id = $1 for update', [session.walletId]);
  }
});
afterAll(() => holder.end());

/** The use cases that need the row of a wallet, as one process shares them. */
function openUseCases() {
  const denyRequest = createDenyRequest({ db, limitRefusals: async () => null });
  const acceptSpend = createAcceptSpend(db);
  return {
    accept: (session: RowSession) => acceptSpend(requestedTransfer(session)),
    cancel: createCancelSpend(db),
    refuse: (session: RowSession) =>
      denyRequest(
        {
          agent: { ...session, vaultUsdcAta: '' },
          kind: 'transfer',
          amount: 1n,
          recipient: null,
          url: null,
        },
        { kind: 'outside_time_window', opensAtMs: null },
      ),
  };
}

test('callers for wallets whose rows are held get a fault, and no other wallet waits for them', async () => {
  const { accept, cancel, refuse } = openUseCases();
  const other = await rows.createSession();
  const queued = await rows.accept(other);
  let ended = 0;
  const waiting = held.flatMap((one) =>
    Array.from({ length: REQUESTS_EACH }, () => [
      accept(one.session),
      refuse(one.session),
      cancel(one.queued),
    ]).flat(),
  );
  const faults = waiting.map(async (call) => {
    const fault: unknown = await call.then(() => 'none').catch((error: unknown) => error);
    ended += 1;
    return isLockFault(fault);
  });
  expect(await Promise.all([accept(other), refuse(other), cancel(queued)])).toMatchObject([
    { kind: 'accepted' },
    { kind: 'outside_time_window' },
    { status: 'rejected' },
  ]);
  expect(ended).toBe(0);
  expect(new Set(await Promise.all(faults))).toEqual(new Set([true]));
});
