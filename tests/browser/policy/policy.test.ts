/** The policy editor: what is typed, shown, saved and then enforced. */
import { isAgentWalletError, usdc } from '@agent-wallet/sdk';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { createSpendingOwner, type SpendingOwner } from '../activity/spending-owner.ts';
import { expectNoAxeFindings, expectNoSidewaysScroll, screenshot } from '../harness/look.ts';
import { signIn } from '../harness/owners.ts';
import { type OpenOptions, useBrowser } from '../harness/use-browser.ts';

const { openPage } = useBrowser();
const URL_OF_AGENT = 'https://api.example.com/v1/data?q=1';
const WORK = { start_min: 540, end_min: 1_019, days: 0b11111, timezone: 'Europe/Berlin' };

async function openPolicy(owner: SpendingOwner, options: OpenOptions = {}) {
  const opened = await openPage({ ...options, wallet: owner.wallet });
  await signIn(opened.page);
  await showPolicy(opened.page);
  return opened;
}

async function showPolicy(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Policy', exact: true }).click();
  await page.getByRole('button', { name: 'Add a URL' }).waitFor();
}

async function addUrl(page: Page, place: number, pattern: string, most: string): Promise<void> {
  await page.getByRole('button', { name: 'Add a URL' }).click();
  await page.getByLabel(`Pattern ${place}`, { exact: true }).fill(pattern);
  await page.getByLabel(`Most per call ${place}`).fill(most);
}

async function save(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Review and save' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText(/^Saved\. Version/).waitFor();
}

async function refusalOf({ agent, recipient }: SpendingOwner, amount: string): Promise<unknown> {
  const error: unknown = await agent
    .signPayment({ url: URL_OF_AGENT, recipient, amount: usdc(amount) })
    .then(() => null)
    .catch((reason: unknown) => reason);
  return isAgentWalletError(error) ? error.code : error;
}

it('tries a URL while it is typed, shows what saving changes, and is then enforced', async () => {
  const owner = await createSpendingOwner();
  const { page } = await openPolicy(owner);
  await page.getByLabel('Try a URL').fill(URL_OF_AGENT);
  await page.getByText('because no row covers it').waitFor();
  await addUrl(page, 1, 'https://api.example.com/v1/*', '0.05');
  await page.getByText('for up to 0.05 USDC a call, by the marked row').waitFor();
  await page.getByLabel('Try a URL').fill('http://api.example.com/v1/data');
  await page.getByText('because the URL must be an https URL').waitFor();
  await page.getByRole('button', { name: 'Review and save' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Allow https://api.example.com/v1/* for up to 0.05 USDC a call').waitFor();
  await expectNoAxeFindings(page);
  await screenshot(page, 'policy-review');
  expect(await refusalOf(owner, '0.04')).toBe('URL_NOT_ALLOWED');
  await dialog.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Saved. Version 1 is in force from the next request on.').waitFor();
  expect(await refusalOf(owner, '0.06')).toBe('URL_NOT_ALLOWED');
  expect(await refusalOf(owner, '0.04')).toBeNull();
});

it('closes at the chosen hours for agents too', async () => {
  const owner = await createSpendingOwner();
  const { page } = await openPolicy(owner);
  await page.getByLabel('Only in these hours').check();
  for (const day of ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday']) {
    await page.getByRole('checkbox', { name: day }).uncheck();
  }
  await page.getByText('With no day, agents can never spend.').waitFor();
  await save(page);
  const { agent, recipient } = owner;
  await expect(agent.transfer({ recipient, amount: 1n })).rejects.toMatchObject({
    code: 'OUTSIDE_TIME_WINDOW',
  });
});

it('draws hours with the keyboard alone', async () => {
  const owner = await createSpendingOwner();
  await owner.client.setPolicy({ url_allowlist: [], time_window: WORK });
  const { page } = await openPolicy(owner);
  await page.getByRole('gridcell', { name: 'Monday 09:00, open', exact: true }).focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowRight');
  await page.getByText('Choosing from Monday 10:00 to Tuesday 11:00').waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Enter');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  expect(await page.getByLabel('From').inputValue()).toBe('11:00');
  expect(await page.getByLabel('Until').inputValue()).toBe('00:00');
  await save(page);
  await expect(owner.client.policy()).resolves.toMatchObject({
    time_window: { start_min: 660, end_min: 1_439, days: 0b11, timezone: 'Europe/Berlin' },
  });
});

it('draws hours with the mouse', async () => {
  const owner = await createSpendingOwner();
  await owner.client.setPolicy({ url_allowlist: [], time_window: WORK });
  const { page } = await openPolicy(owner);
  await page.getByRole('gridcell', { name: 'Saturday 08:00, closed' }).hover();
  await page.mouse.down();
  await page.getByRole('gridcell', { name: 'Sunday 19:00, closed' }).hover();
  await page.mouse.up();
  expect(await page.getByLabel('Until').inputValue()).toBe('20:00');
  const hour = page.getByRole('gridcell', { name: 'Sunday 06:00' });
  await hour.click();
  await hour.click();
  expect(await page.getByLabel('From').inputValue()).toBe('06:00');
  expect(await page.getByLabel('Until').inputValue()).toBe('07:00');
  await page.getByText('1 unsaved change').waitFor();
});

describe('unsaved changes', () => {
  it('stay while the owner looks elsewhere or reloads, and can be discarded', async () => {
    const owner = await createSpendingOwner();
    const { page } = await openPolicy(owner);
    await addUrl(page, 1, 'https://api.example.com/**', '1');
    await page.getByRole('link', { name: 'Overview', exact: true }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await showPolicy(page);
    await page.getByText('These are your changes from before.').waitFor();
    page.once('dialog', (question) => void question.accept());
    await page.reload();
    await page.getByText('These are your changes from before.').waitFor();
    await page.getByRole('button', { name: 'Discard them' }).click();
    await page.getByText('No rules are set yet.').waitFor();
    await page.reload();
    await page.getByText('No rules are set yet.').waitFor();
    expect(await page.getByText('unsaved').count()).toBe(0);
  });

  it('are compared again with a policy that was saved elsewhere meanwhile', async () => {
    const owner = await createSpendingOwner();
    const { page } = await openPolicy(owner);
    await addUrl(page, 1, 'https://api.example.com/**', '1');
    const other = [{ pattern: 'https://other.example/**', max_per_call: usdc('2') }];
    await owner.client.setPolicy({ url_allowlist: other, time_window: null });
    await page.getByRole('button', { name: 'Review and save' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await dialog.getByText('The policy was changed elsewhere meanwhile.').waitFor();
    await dialog.getByText('Remove https://other.example/**').waitFor();
    await expect(owner.client.policy()).resolves.toMatchObject({ url_allowlist: other });
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved. Version 2 is in force').waitFor();
  });
});

it.each([
  ['light', 1_280],
  ['dark', 1_280],
  ['light', 390],
] as const)('is accessible and fits (%s, %i px)', async (colorScheme, width) => {
  const owner = await createSpendingOwner({ funds: 0n });
  await owner.client.setPolicy({
    url_allowlist: [
      { pattern: 'https://api.example.com/v1/**', max_per_call: usdc('0.05') },
      { pattern: 'https://data.example.org/prices/*', max_per_call: usdc('1.5') },
    ],
    time_window: WORK,
  });
  const { page } = await openPolicy(owner, { colorScheme, width });
  await page.getByLabel('Try a URL').fill('https://api.example.com/v1/data');
  await page.getByText('The next seven days').waitFor();
  await expectNoAxeFindings(page);
  await expectNoSidewaysScroll(page);
  await screenshot(page, `policy-${colorScheme}-${width}`);
});
