import { applySpend, blastRadius, emptySpendWindow, type SpendWindow } from '@agent-wallet/policy';
import { sumCaps } from '@agent-wallet/spend';
import { sql } from 'slonik';
import { expect, test } from 'vitest';
import { createMeasureCaps } from '../../apps/confirm-worker/src/measure-caps.ts';
import { createMetrics } from '../../apps/confirm-worker/src/metrics.ts';
import { useSpendRows } from '../support/database/spend-rows.ts';

const rows = await useSpendRows();

const HOUR = 3_600n;
const DAY = 24n * HOUR;
const now = BigInt(Math.floor(Date.now() / 1_000));

type Request = { readonly dailyCap: bigint; readonly expiry: bigint };

async function addSession(request: Request, change = sql.fragment`status = status`): Promise<void> {
  const session = await rows.createSession();
  const limits = sql.fragment`daily_cap = ${request.dailyCap.toString()}::numeric,
    expiry = ${request.expiry}, allowed_recipients = '{recipient}', allowed_instructions = 1`;
  await rows.setSession(session.sessionId, limits);
  await rows.setSession(session.sessionId, change);
}

const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((a, b) => a + b);

const radiusOf = ({ dailyCap, expiry }: Request, window: SpendWindow) => {
  const limits = { dailyCap, expiry, window, maxPerTx: 1n, recipients: ['recipient'] };
  const holdings = { liquid: 0n, deployed: 0n, value: 0n, maxDeployedFractionBp: 0 };
  return blastRadius({ ...limits, paused: false, allowedInstructions: 1 }, holdings, now).byLimits;
};

test('the sum over all sessions is what fresh ones could move, and a bound for all others', async () => {
  // An hour may begin while this runs: none of these expiries lies where that would matter.
  const requests: Request[] = [
    { dailyCap: 2n ** 64n - 1n, expiry: now + 3n * DAY },
    { dailyCap: 1_000n, expiry: now + 12n * HOUR },
    { dailyCap: 7n, expiry: now + 400n * DAY },
  ];
  for (const request of requests) await addSession(request);
  await addSession({ dailyCap: 10n, expiry: now - DAY });
  await addSession({ dailyCap: 10n, expiry: now + DAY }, sql.fragment`allowed_instructions = 6`);
  await addSession({ dailyCap: 10n, expiry: now + DAY }, sql.fragment`allowed_recipients = '{}'`);
  await addSession({ dailyCap: 10n, expiry: now + DAY }, sql.fragment`status = 'revoked'`);
  const caps = await sumCaps(rows.db);
  const fresh = requests.map((request) => radiusOf(request, emptySpendWindow()));
  expect(caps).toEqual({
    sessions: 3,
    within24h: sum(fresh.map(({ within24h }) => within24h)),
    untilExpiry: sum(fresh.map(({ untilExpiry }) => untilExpiry)),
  });
  for (let hoursAgo = 0n; hoursAgo < 26n; hoursAgo += 1n) {
    const window = applySpend(emptySpendWindow(), now - hoursAgo * HOUR, 5n);
    const used = requests.map((request) => radiusOf(request, window));
    expect(sum(used.map(({ within24h }) => within24h))).toBeLessThanOrEqual(caps.within24h);
    expect(sum(used.map(({ untilExpiry }) => untilExpiry))).toBeLessThanOrEqual(caps.untilExpiry);
  }
});

test('the metric shows it', async () => {
  const metrics = createMetrics();
  await createMeasureCaps({ db: rows.db, metrics })();
  const text = await metrics.registry.metrics();
  expect(text).toContain('agent_wallet_spendable_sessions 3');
  expect(text).toMatch(/^agent_wallet_blast_radius_base_units\{horizon="24h"\} 18446744073709552/m);
});
