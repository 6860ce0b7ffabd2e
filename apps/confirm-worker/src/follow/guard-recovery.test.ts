import {
  claimDeployment,
  closeIntake,
  type Database,
  openIntake,
  readIntake,
} from '@agent-wallet/db';
import { createLogger } from '@agent-wallet/process';
import { sql } from 'slonik';
import { expect, test } from 'vitest';
import { useSpendRows } from '../../../../tests/support/database/spend-rows.ts';
import { createMetrics } from '../metrics.ts';
import { createGuardRecovery } from './guard-recovery.ts';

const rows = await useSpendRows();

async function readIdentity(db: Database): Promise<string> {
  const intake = await readIntake(db);
  if (intake === null) throw new Error('claimed before');
  return intake.identity;
}

test('a guard that was stopped while another one opened intake does not close it again', async () => {
  const deployment = { genesisHash: 'genesis', programId: 'program', usdcMint: 'mint' };
  await claimDeployment(rows.db, deployment, { allowMainnet: false });
  await rows.db.query(sql.unsafe`update deployment set identity = 'another/00000001'`);
  const guard = createGuardRecovery({
    db: rows.db,
    rpc: {
      heightAndSlot: async (commitment) => {
        if (commitment === 'confirmed') {
          await closeIntake(rows.db, { height: 100n, reason: 'the other guard' });
          const identity = await readIdentity(rows.db);
          await openIntake(rows.db, { closedAtHeight: 100n, identity });
        }
        return { blockHeight: 300n, slot: 300n };
      },
      accounts: () => Promise.reject(new Error('nothing is recovered')),
    },
    program: { decodeSession: () => null },
    catchUp: () => Promise.reject(new Error('nothing is recovered')),
    log: createLogger({ name: 'test', level: 'silent' }),
    metrics: createMetrics(),
  });
  await guard();
  expect(await readIntake(rows.db)).toMatchObject({ isOpen: true });
});
