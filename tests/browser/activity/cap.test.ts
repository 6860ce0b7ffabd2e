/** The chart of the daily cap, and lists of more than one page. */
import { formatUsdc, usdc } from '@agent-wallet/sdk';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { expectNoAxeFindings, expectNoSidewaysScroll, screenshot } from '../harness/look.ts';
import { signIn } from '../harness/owners.ts';
import { useBrowser } from '../harness/use-browser.ts';
import { createSpendingOwner, pay } from './spending-owner.ts';

const { openPage } = useBrowser();
const MANY = 55;

it('shows what counts against the cap as the API counts it', async () => {
  const owner = await createSpendingOwner({ cap: usdc('1.5') });
  await pay(owner, '0.7');
  await pay(owner, '0.45');
  const { page } = await openPage({ wallet: owner.wallet });
  await signIn(page);
  await page.getByRole('link', { name: 'Activity', exact: true }).click();
  const card = page.getByRole('region', { name: 'Daily cap' });
  const session = await owner.client.session(owner.sessionId);
  expect(session.daily_spent).toBe(usdc('1.15'));
  const figure = (name: string) =>
    card.locator('dl > div').filter({ hasText: name }).locator('dd').textContent();
  await expect.poll(() => figure('Counts now')).toBe(`${formatUsdc(session.daily_spent)} USDC`);
  expect(await figure('Room now')).toBe(`${formatUsdc(session.daily_remaining)} USDC`);
  expect(await card.locator('[data-cap-next]').getAttribute('data-cap-next')).toBe(
    String(session.daily_resets_at),
  );
  const chart = card.getByRole('img');
  expect(await chart.locator('desc').textContent()).toMatch(
    /^1\.15 of 1\.50 USDC count now\. From/,
  );
  await card.getByText('Show the figures as a table').click();
  const table = card.getByRole('table', { name: 'Hours that count against the cap' });
  expect(await table.locator('tbody tr').count()).toBe(session.daily_spent_by_hour.length);
  await expectNoAxeFindings(page);
  await screenshot(page, 'activity-cap');
});

it.each([
  ['light', 1_280],
  ['dark', 390],
] as const)('draws a day with several hours of spends (%s, %i px)', async (colorScheme, width) => {
  const { wallet } = await createSpendingOwner();
  const { page, context } = await openPage({ wallet, colorScheme, width });
  const hour = Math.floor(Date.now() / 3_600_000) * 3_600;
  // What only a day of spends could produce on the chain.
  const spent = [
    [22, 800_000],
    [15, 1_250_000],
    [9, 400_000],
    [3, 1_100_000],
    [0, 350_000],
  ].map(([ago = 0, amount]) => ({ hour: hour - ago * 3_600, amount }));
  await context.route('**/v1/session', async (route) => {
    const response = await route.fetch();
    const { items } = z.object({ items: z.array(z.looseObject({})) }).parse(await response.json());
    const changed = items.map((item) => ({ ...item, daily_spent_by_hour: spent }));
    await route.fulfill({ response, json: { items: changed } });
  });
  await signIn(page);
  await page.getByRole('link', { name: 'Activity', exact: true }).click();
  const card = page.getByRole('region', { name: 'Daily cap' });
  await card.getByText('3.90').first().waitFor();
  expect(await card.locator('desc').textContent()).toMatch(
    /^3\.90 of 5\.00 USDC count now\..* 3\.10 USDC count\..* 1\.85 .* 1\.45 .* 0\.35 .* 0\.00 /,
  );
  await expectNoAxeFindings(page);
  await expectNoSidewaysScroll(page);
  await screenshot(page, `activity-day-${colorScheme}-${width}`);
});

it('reads further rows when they are asked for, and exports all of them', async () => {
  const owner = await createSpendingOwner();
  const { agent, recipient } = owner;
  const sent = Array.from({ length: MANY }, (_, i) =>
    agent.transfer({ recipient, amount: BigInt(i + 1) }),
  );
  await Promise.all(sent.map(async (spend) => agent.waitFor(await spend)));
  const { page } = await openPage({ wallet: owner.wallet });
  await signIn(page);
  await page.getByRole('link', { name: 'Activity', exact: true }).click();
  const rows = page.getByRole('table', { name: 'Spends, newest first' }).locator('tbody tr');
  await expect.poll(() => rows.count()).toBe(50);
  await page.getByText('The newest 50').waitFor();
  await page.getByRole('button', { name: 'Load more' }).click();
  await expect.poll(() => rows.count()).toBe(MANY);
  await page.getByText(`All ${MANY} rows`).waitFor();
  expect(await page.getByRole('button', { name: 'Load more' }).count()).toBe(0);
  await page.getByRole('button', { name: 'Export CSV' }).click();
  await page.getByText(`Saved ${MANY} rows.`).waitFor();
});
