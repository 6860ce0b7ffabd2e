import { verifyAudit } from '@agent-wallet/audit';
import { sql } from 'slonik';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { useSpendRows } from '../../../../tests/support/database/spend-rows.ts';
import { createDenyRequest } from './refused.ts';

const rows = await useSpendRows();

test('refusals of a wallet that come together are one commit, with a row each', async () => {
  const denyRequest = createDenyRequest(rows.db);
  const session = await rows.createSession();
  const { walletId } = session;
  const request = {
    agent: { ...session, vaultUsdcAta: '' },
    kind: 'transfer',
    recipient: null,
    url: null,
  } as const;
  const amounts = [1n, 2n, 3n, 4n, 5n];
  await Promise.all(
    amounts.map((amount) =>
      denyRequest({ ...request, amount }, { kind: 'outside_time_window', opensAtMs: null }),
    ),
  );
  const denial = z.object({ amount: z.bigint(), commit: z.string() });
  const denials = await rows.db.any(sql.type(denial)`
    select amount, xmin::text as commit from audit where wallet_id = ${walletId}::uuid order by seq
  `);
  expect(denials.map(({ amount }) => amount)).toEqual(amounts);
  expect(new Set(denials.map(({ commit }) => commit)).size).toBe(1);
  expect(await verifyAudit(rows.db, walletId)).toEqual({ kind: 'intact', rows: 5n });
});
