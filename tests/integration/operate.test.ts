import { claimDeployment, closeIntake, openIntake, readIntake } from '@agent-wallet/db';
import { openLaneQueue } from '@agent-wallet/queue';
import { acceptSpend, recordFeePayers } from '@agent-wallet/spend';
import { createDatabaseLogins } from '@agent-wallet/local-system/postgres/database-logins.ts';
import { sql } from 'slonik';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { drainCommand, resumeCommand } from '../../apps/cli/src/operator/ops/drain-command.ts';
import { feePayersCommand } from '../../apps/cli/src/operator/ops/fee-payers-command.ts';
import { nudgeCommand } from '../../apps/cli/src/operator/ops/nudge-command.ts';
import { stuckCommand } from '../../apps/cli/src/operator/ops/stuck-command.ts';
import { sweepCommand } from '../../apps/cli/src/operator/ops/sweep-command.ts';
import type { OpsConfig } from '../../apps/cli/src/operator/config.ts';
import { newAddress, requestedTransfer } from '../support/database/made-up-spends.ts';
import { openSpendRows, type SpendRows } from '../support/database/spend-rows.ts';
import { waitUntil } from '../support/wait-until.ts';

const DEPLOYMENT = { genesisHash: 'local', programId: 'program', usdcMint: 'mint' };
const stack = { current: new AsyncDisposableStack() };
let rows: SpendRows;
/** With the rights of an operator. */
let config: OpsConfig;
beforeEach(async () => {
  stack.current = new AsyncDisposableStack();
  rows = stack.current.use(await openSpendRows());
  const logins = await createDatabaseLogins(rows.url);
  stack.current.defer(() => logins.drop());
  config = { databaseUrl: logins.urls.operator, redisUrl: undefined };
  await claimDeployment(rows.db, DEPLOYMENT, { allowMainnet: false });
});
afterEach(() => stack.current.disposeAsync());

const MINUTE = { olderThanMs: 60_000, limit: 10 };

const cause = async (): Promise<unknown> => (await stuckCommand(config, MINUTE)).json;

async function waitingJobs(): Promise<number> {
  const queue = await openLaneQueue({ databaseUrl: rows.url, redisUrl: undefined }, () => {});
  try {
    return await queue.waiting();
  } finally {
    await queue.close();
  }
}

describe('stuck spends', () => {
  test('are listed from the oldest, each with what it waits for, and make the exit code 1', async () => {
    expect(await stuckCommand(config, MINUTE)).toMatchObject({
      exitCode: 0,
      text: 'No spend has waited for more than 60 s.',
    });
    const session = await rows.createSession();
    const inFlight = await rows.spendIn('in flight', session);
    const behind = await rows.spendIn('queued', session);
    const alone = await rows.spendIn('queued');
    const landed = await rows.spendIn('confirmed');
    await rows.spendIn('finalized');
    await rows.spendIn('queued');
    await rows.age(inFlight.spendId, 400);
    await rows.age(behind.spendId, 300);
    await rows.age(alone.spendId, 200);
    await rows.setWatch(inFlight.spendId, sql.fragment`look_at = now() - interval '40 seconds'`);
    await rows.setSpend(
      landed.spendId,
      sql.fragment`settled_at = now() - interval '100 seconds', created_at = now() - interval '101 s'`,
    );
    const { exitCode, text, json } = await stuckCommand(config, MINUTE);
    expect(exitCode).toBe(1);
    expect(json).toMatchObject({
      stuck: [
        { spend_id: inFlight.spendId, status: 'in_flight', waits_for: 'confirm_worker' },
        { spend_id: behind.spendId, status: 'queued', waits_for: 'earlier_spends' },
        { spend_id: alone.spendId, status: 'queued', waits_for: 'tx_worker' },
        { spend_id: landed.spendId, status: 'confirmed', waits_for: 'finality' },
      ],
    });
    expect(String(text).split('\n')).toHaveLength(5);
    const { json: two } = await stuckCommand(config, { ...MINUTE, limit: 2 });
    expect(two).toMatchObject({ stuck: [{ spend_id: inFlight.spendId }, {}] });
  });

  test('wait for the fee payers, a lane or the intake where these are the cause', async () => {
    const spend = await rows.spendIn('queued');
    await rows.age(spend.spendId, 100);
    await rows.setLane(
      spend.sessionId,
      sql.fragment`holder = 'host-1', lease_until = now() + interval '1 hour'`,
    );
    expect(await cause()).toMatchObject({ stuck: [{ waits_for: 'lane' }] });
    await recordFeePayers(rows.db, [{ address: 'payer', lamports: 1n, floorLamports: 2n }]);
    expect(await cause()).toMatchObject({ stuck: [{ waits_for: 'fee_payers' }] });
    await closeIntake(rows.db, { height: 7n, reason: 'a restore' });
    expect(await cause()).toMatchObject({
      stuck: [{ waits_for: 'intake', reason: 'intake is closed: a restore' }],
    });
  });
});

describe('a nudge', () => {
  test('wakes each wallet with a queued spend in a free lane, or one wallet', async () => {
    expect(await nudgeCommand(config, { walletId: null })).toMatchObject({ json: { wallets: 0 } });
    const [one, , held] = [
      await rows.spendIn('queued'),
      await rows.spendIn('queued'),
      await rows.spendIn('queued'),
    ];
    await rows.setLane(held.sessionId, sql.fragment`lease_until = now() + interval '1 hour'`);
    expect(await nudgeCommand(config, { walletId: null })).toMatchObject({ json: { wallets: 2 } });
    expect(await waitingJobs()).toBe(2);
    await nudgeCommand(config, { walletId: one.walletId });
    // Its lane has a job already; the wallet itself gets another one.
    expect(await waitingJobs()).toBe(3);
  });

  test('that the queue does not take fails', async () => {
    const redisUrl = 'redis://127.0.0.1:1';
    const nudged = nudgeCommand({ ...config, redisUrl }, { walletId: newWalletId() });
    await expect(nudged).rejects.toThrow('Connection is closed');
  });
});

const newWalletId = (): string => '0189b2c4-5d6e-7f80-9a1b-2c3d4e5f6071';

test('a sweep nudges, and makes attempts and unfinalized landings due', async () => {
  await rows.spendIn('queued');
  const inFlight = await rows.spendIn('in flight');
  const landed = await rows.spendIn('confirmed');
  await rows.setWatch(inFlight.spendId, sql.fragment`look_at = now() + interval '1 hour'`);
  await rows.setSpend(landed.spendId, sql.fragment`final_look_at = now() + interval '1 hour'`);
  const swept = { wallets: 1, attempts: 1, landings: 1 };
  expect((await sweepCommand(config)).json).toEqual(swept);
  expect(
    await rows.db.oneFirst(sql.unsafe`
      select (select bool_and(look_at <= now()) from attempt_watch)
        and (select bool_and(final_look_at <= now()) from spend)
    `),
  ).toBe(true);
  expect((await sweepCommand(config)).json).toEqual({ ...swept, attempts: 0, landings: 0 });
});

describe('fee payers', () => {
  test('that no worker has recorded are an error', async () => {
    await expect(feePayersCommand(config)).rejects.toThrow('No tx-worker has recorded');
  });

  test('are listed with balance, floor, and the spends that wait for them', async () => {
    const payer = { address: newAddress(), lamports: 30_000_000n, floorLamports: 10_000_000n };
    const empty = { ...payer, address: newAddress(), lamports: 9_999_999n };
    await recordFeePayers(rows.db, [payer]);
    expect((await feePayersCommand(config)).exitCode).toBe(0);
    await recordFeePayers(rows.db, [payer, empty]);
    await rows.spendIn('queued');
    const spend = await rows.spendIn('in flight');
    await rows.setAttempts(spend.spendId, sql.fragment`fee_payer = ${payer.address}`);
    const one = await feePayersCommand(config);
    expect(one.exitCode).toBe(1);
    expect(one.json).toMatchObject({
      fee_payers: expect.arrayContaining([
        expect.objectContaining({
          address: payer.address,
          sol: '0.030000000',
          below_floor: false,
          in_flight: 1,
        }),
        expect.objectContaining({ address: empty.address, sol: '0.009999999', below_floor: true }),
      ]),
      queued_spends_waiting: 0,
    });
    await recordFeePayers(rows.db, [{ ...payer, lamports: 0n }, empty]);
    const all = await feePayersCommand(config);
    expect(all.json).toMatchObject({ queued_spends_waiting: 1 });
    expect(String(all.text)).toContain('1 queued spends wait, because no fee payer can pay.');
  });
});

describe('a drain', () => {
  const notes: string[] = [];
  const context = (signal = new AbortController().signal) => ({
    signal,
    terminal: {
      print: () => undefined,
      note: (line: string) => void notes.push(line),
      agree: () => Promise.reject(new Error('asks nothing')),
      whileWaiting: <Result>(_what: string, work: Promise<Result>) => work,
    },
  });
  beforeEach(() => {
    notes.length = 0;
  });

  test('refuses new spends, lets accepted ones end, and ends with them', async () => {
    const session = await rows.createSession();
    const queued = await rows.accept(session);
    const drained = drainCommand(config, { timeoutMs: 20_000 }, context());
    await waitUntil('the drain to wait', async () => notes.length === 2);
    expect(notes[1]).toMatch(/^open: 1 queued, 0 in flight, 0 deliveries, the oldest since \d+ s$/);
    expect(await acceptSpend(rows.db, requestedTransfer(session))).toEqual({
      kind: 'intake_closed',
    });
    await rows.claim(queued);
    await waitUntil('the claim to be told', async () => notes.length === 3);
    expect(notes[2]).toContain('0 queued, 1 in flight');
    await rows.settle(queued, { kind: 'landed_ok' });
    expect(await drained).toMatchObject({ exitCode: 0, text: 'Drained: no spend is open.' });

    expect(await resumeCommand(config)).toMatchObject({ exitCode: 0, json: { accepting: true } });
    await rows.accept(session);
  });

  test('says what is still open when the wait ends, and how to look again', async () => {
    const spend = await rows.spendIn('in flight');
    const outcome = await drainCommand(config, { timeoutMs: 1 }, context());
    expect(outcome.exitCode).toBe(3);
    expect(outcome.text).toContain('Still open: 0 queued, 1 in flight, 0 deliveries.');
    const { json } = outcome;
    const again = await drainCommand(config, { timeoutMs: 1 }, context());
    expect(again.json).toEqual(json);
    await rows.settle(spend, { kind: 'landed_ok' });
    expect((await drainCommand(config, { timeoutMs: 1 }, context())).exitCode).toBe(0);
  });

  test('stays when the wait is interrupted', async () => {
    const session = await rows.createSession();
    await rows.accept(session);
    const interrupt = new AbortController();
    const drained = drainCommand(config, { timeoutMs: 20_000 }, context(interrupt.signal));
    void waitUntil('the drain to wait', async () => notes.length === 2).finally(() =>
      interrupt.abort(),
    );
    await expect(drained).rejects.toThrow('until "agent-wallet ops drain --resume"');
    await expect(rows.accept(session)).rejects.toThrow('not accepted: intake_closed');
  });

  test('does not open what a restore has closed', async () => {
    await drainCommand(config, { timeoutMs: 1 }, context());
    await closeIntake(rows.db, { height: 7n, reason: 'a restore' });
    expect(await resumeCommand(config)).toMatchObject({ exitCode: 1, json: { accepting: false } });
    const session = await rows.createSession();
    await expect(rows.accept(session)).rejects.toThrow('not accepted: intake_closed');
    const { identity = '' } = (await readIntake(rows.db)) ?? {};
    await openIntake(rows.db, { closedAtHeight: 7n, identity });
    await rows.accept(session);
  });

  test('before the first start is refused', async () => {
    await rows.db.query(sql.unsafe`delete from deployment`);
    const message = 'No process has ever been started on this database.';
    await expect(drainCommand(config, { timeoutMs: 1 }, context())).rejects.toThrow(message);
    await expect(resumeCommand(config)).rejects.toThrow(message);
  });
});
