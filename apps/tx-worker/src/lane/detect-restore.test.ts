import type { Rpc } from '@agent-wallet/chain';
import { claimDeployment, readIntake } from '@agent-wallet/db';
import { createLogger } from '@agent-wallet/process';
import { sql } from 'slonik';
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
  ['below the next one is not a restore', { read: 7n, stored: 7n, seen: 6n }, { isOpen: true }],
  // Another worker has claimed since the lane was read.
  ['above a lane read too early is not', { read: 7n, stored: 16n, seen: 15n }, { isOpen: true }],
  // The height is that of the confirmed tip: the last blockhash was read there.
  [
    'that is the next one closes intake',
    { read: 7n, stored: 7n, seen: 7n },
    { isOpen: false, closedAtHeight: 131n },
  ],
  [
    'far beyond the next one closes intake',
    { read: 7n, stored: 7n, seen: 15n },
    { isOpen: false, closedAtHeight: 131n },
  ],
])('a sequence number on chain %s', async (_case, { read, stored, seen }, recovery) => {
  const detectRestore = createDetectRestore({
    db: rows.db,
    rpc: { heightAndSlot },
    log: createLogger({ name: 'test', level: 'silent' }),
    metrics: createMetrics(),
  });
  const { sessionId } = await rows.createSession();
  await rows.setSession(sessionId, sql.fragment`next_seq = ${stored}`);
  const session = { replay: { highestSeq: seen, bitmap: [0n, 0n, 0n, 0n] } };
  expect(await detectRestore({ sessionId, nextSeq: read }, { session })).toBe(!recovery.isOpen);
  expect(await readIntake(rows.db)).toMatchObject(recovery);
});
