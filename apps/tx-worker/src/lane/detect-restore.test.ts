import type { Rpc } from '@agent-wallet/chain';
import { claimDeployment, readRecovery } from '@agent-wallet/db';
import { createLogger } from '@agent-wallet/process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSpendRows, type SpendRows } from '../../../../tests/support/database/spend-rows.ts';
import { createMetrics } from '../metrics.ts';
import { createShutAsRestored } from './detect-restore.ts';

let rows: SpendRows;
beforeAll(async () => {
  rows = await openSpendRows();
  const deployment = { genesisHash: 'genesis', programId: 'program', usdcMint: 'mint' };
  await claimDeployment(rows.db, deployment, { allowMainnet: false });
});
afterAll(() => rows[Symbol.asyncDispose]());

const heightAndSlot: Rpc['heightAndSlot'] = async (commitment) => {
  const blockHeight = commitment === 'confirmed' ? 131n : 100n;
  return { blockHeight, slot: blockHeight };
};

test('shuts as of the confirmed tip: the last blockhash was read there', async () => {
  const shutAsRestored = createShutAsRestored({
    db: rows.db,
    rpc: { heightAndSlot },
    log: createLogger({ name: 'test', level: 'silent' }),
    metrics: createMetrics(),
  });
  await shutAsRestored('a session');
  expect(await readRecovery(rows.db)).toMatchObject({ isOpen: false, shutAtHeight: 131n });
});
