import { Keypair } from '@solana/web3.js';
import bs58 from 'bs58';
import { sql } from 'slonik';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { appProcesses } from '@agent-wallet/local-system/system/app-processes.ts';
import { createLaneFixture, type LaneFixture } from '../support/system/lane-fixture.ts';
import { useSystem } from '../support/system/use-system.ts';
import { waitUntil } from '../support/wait-until.ts';

const SOL = 1_000_000_000;
const payer = Keypair.generate();

const system = useSystem({
  feePayerKeys: [bs58.encode(payer.secretKey)],
  processes: (surroundings) => appProcesses(surroundings).filter(({ role }) => role !== 'api'),
});
let fixture: LaneFixture;
beforeAll(async () => {
  fixture = await createLaneFixture(system());
});
afterAll(() => fixture[Symbol.asyncDispose]());

async function metricOf(line: RegExp): Promise<number> {
  const text = await (await fetch(`${system().urls.metrics['tx-worker']}/metrics`)).text();
  return Number(line.exec(text)?.[1] ?? 0);
}

const queuedRow = z.object({ status: z.string(), attempt: z.number(), faults: z.number() });

test('a spend waits in its queue while no fee payer can pay, and goes on when one can', async () => {
  const wallet = await fixture.createWallet(1_000_000n);
  const recipient = await fixture.createRecipient();
  const session = await fixture.createSession(wallet, { recipients: [recipient] });
  expect(await metricOf(/^agent_wallet_fee_payers_below_floor (\d+)$/m)).toBe(1);
  const spendId = await fixture.request(wallet, session, { recipient, amount: 7n });
  // More often than a row may fail by itself.
  await waitUntil(
    'four runs of the lane that had nobody to pay',
    async () => (await metricOf(/^agent_wallet_lane_faults_total\{stage="away"\} (\d+)$/m)) >= 4,
    { timeoutMs: 30_000, intervalMs: 250 },
  );
  const row = await fixture.db.one(sql.type(queuedRow)`
    select status, attempt, faults from spend where spend_id = ${spendId}::uuid
  `);
  expect(row).toEqual({ status: 'queued', attempt: 0, faults: 0 });

  await system().faucet.sol(payer.publicKey, SOL);
  const [spend] = await fixture.settled([spendId], 40_000);
  expect(spend).toMatchObject({ attempt: 1, code: null });
  expect(await fixture.balance(wallet.vaultUsdcAta)).toBe(999_993n);
  expect(await metricOf(/^agent_wallet_fee_payers_below_floor (\d+)$/m)).toBe(0);
}, 120_000);
