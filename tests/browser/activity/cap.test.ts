/** The chart of the 24-hour cap, and lists of more than one page. */
import { formatUsdc, usdc } from '@agent-wallet/sdk';
import { expect, it } from 'vitest';
import { expectNoAxeFindings, screenshot } from '../harness/look.ts';
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
  await page.getByRole('link', { name: 'Activity' }).click();
  const card = page.getByRole('region', { name: '24-hour cap' });
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

it('reads further rows when they are asked for, and exports all of them', async () => {
  const owner = await createSpendingOwner();
  const { agent, recipient } = owner;
  const sent = Array.from({ length: MANY }, (_, i) =>
    agent.transfer({ recipient, amount: BigInt(i + 1) }),
  );
  await Promise.all(sent.map(async (spend) => agent.waitFor(await spend)));
  const { page } = await openPage({ wallet: owner.wallet });
  await signIn(page);
  await page.getByRole('link', { name: 'Activity' }).click();
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
