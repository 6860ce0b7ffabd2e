import { createDatabase } from '@agent-wallet/db';
import { acceptSpend, spendIdFor } from '@agent-wallet/spend';
import { expect } from 'vitest';
import { waitUntil } from '../../support/wait-until.ts';
import { row } from '../row.ts';
import { newSpender, world } from '../world.ts';

row('service.layers.backend-compromised', async () => {
  const { owner, agent, recipient } = await newSpender();
  // A compromised backend skips each of its own rules: it accepts, and lets the workers sign.
  const db = await createDatabase({ url: world.databaseUrls.api, poolSize: 1 });
  const spendId = spendIdFor(agent.sessionId, null);
  try {
    await acceptSpend(db, {
      spendId,
      walletId: owner.walletId,
      sessionId: agent.sessionId,
      kind: 'transfer',
      amount: 1_000_001n,
      reserved: 1_000_001n,
      recipient,
      url: null,
      idempotencyKey: null,
      requestDigest: null,
      balance: null,
      notAfterMs: 60_000,
    });
  } finally {
    await db.end();
  }
  const spend = await waitUntil(
    'the verdict of the chain',
    async () => {
      const { body } = await agent.call('GET', `/v1/spend/${spendId}`);
      return body['status'] !== 'pending' && body;
    },
    { timeoutMs: 30_000 },
  );
  expect(spend).toMatchObject({ status: 'rejected', code: 'AmountExceedsMaxPerTx' });
});
