import type { Rpc } from '@agent-wallet/chain';
import { claimDeployment, readIntake } from '@agent-wallet/db';
import { createLogger } from '@agent-wallet/process';
import { beforeAll, expect, test } from 'vitest';
import { useSpendRows } from '../../../../tests/support/database/spend-rows.ts';
import { createMetrics } from '../metrics.ts';
import { createDetectRestore } from './detect-restore.ts';

const rows = await useSpendRows();
beforeAll(async () => {
  const deployment = { genesisHash: 'genesis', programId: 'program', usdcMint: 'mint' };
  await claimDeployment(rows.db, deployment, { allowMainnet: false });
});

const heightAndSlot: Rpc['heightAndSlot'] = async (commitment) => {
  const blockHeight = commitment === 'confirmed' ? 131n : 100n;
  return { blockHeight, slot: blockHeight };
};

test.each([
  ['below the next one is not a restore', 6n, { isOpen: true }],
  // The height is that of the confirmed tip: the last blockhash was read there.
  ['that is the next one closes intake', 7n, { isOpen: false, closedAtHeight: 131n }],
  ['far beyond the next one closes intake', 15n, { isOpen: false, closedAtHeight: 131n }],
])('a sequence number on chain %s', async (_case, highestSeq, recovery) => {
  const detectRestore = createDetectRestore({
    db: rows.db,
    rpc: { heightAndSlot },
    log: createLogger({ name: 'test', level: 'silent' }),
    metrics: createMetrics(),
  });
  const session = { replay: { highestSeq, bitmap: [0n, 0n, 0n, 0n] } };
  const lane = { sessionId: 'a session', nextSeq: 7n };
  expect(await detectRestore(lane, { session })).toBe(!recovery.isOpen);
  expect(await readIntake(rows.db)).toMatchObject(recovery);
});
