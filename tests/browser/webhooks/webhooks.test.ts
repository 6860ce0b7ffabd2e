/** The view of webhooks: creating one, its secret, its log, and ending it. */
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { expectNoAxeFindings, expectNoSidewaysScroll, screenshot } from '../harness/look.ts';
import { createOwner, signIn } from '../harness/owners.ts';
import { type OpenOptions, useBrowser } from '../harness/use-browser.ts';

const { openPage } = useBrowser();
const HOOK = 'hooks.example.com/wallet';

async function openWebhooks(options: OpenOptions): Promise<Page> {
  const { page } = await openPage(options);
  await signIn(page);
  await page.getByRole('link', { name: 'Webhooks', exact: true }).click();
  await page.getByRole('button', { name: 'Add a webhook' }).waitFor();
  return page;
}

it('creates a webhook, shows its secret once, tests it, and deletes it', async () => {
  const { wallet, client } = await createOwner(0n);
  const page = await openWebhooks({ wallet });
  await page.getByText('There is no webhook yet.').waitFor();
  await page.getByRole('button', { name: 'Add a webhook' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Add' }).click();
  await dialog.getByText('Enter an https URL.').waitFor();
  await dialog.getByLabel('URL').fill(`https://${HOOK}`);
  await dialog.getByRole('checkbox', { name: 'The balance is low' }).check();
  await dialog.getByLabel('Notify below').fill('5');
  await expectNoAxeFindings(page);
  await screenshot(page, 'webhooks-add');
  await dialog.getByRole('button', { name: 'Add' }).click();
  const shown = page.getByRole('dialog', { name: 'The secret of the webhook' });
  await shown.getByText(/^whsec_/).waitFor();
  await expectNoAxeFindings(page);
  await screenshot(page, 'webhooks-secret');
  await shown.getByRole('button', { name: 'I have stored it' }).click();
  expect(await client.webhooks.list()).toMatchObject([
    { url: `https://${HOOK}`, low_balance_below: 5_000_000n, enabled: true },
  ]);
  const card = page.getByRole('region', { name: HOOK });
  await card.getByText('The balance is low: below 5.00 USDC').waitFor();
  await card.getByText('Nothing was sent yet.').waitFor();
  await card.getByRole('button', { name: 'Send a test' }).click();
  const log = card.getByRole('table', { name: 'Deliveries, newest first' });
  await log.getByText('Test', { exact: true }).waitFor();
  await expectNoAxeFindings(page);
  await screenshot(page, 'webhooks-tested');
  await card.getByRole('button', { name: 'Switch off' }).click();
  await card.getByText('You have switched it off.').waitFor();
  await card.getByRole('button', { name: 'Rotate the secret' }).click();
  await shown.getByText(/^whsec_/).waitFor();
  await shown.getByRole('button', { name: 'I have stored it' }).click();
  await card.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('There is no webhook yet.').waitFor();
  expect(await client.webhooks.list()).toEqual([]);
});

it.each([
  ['light', 1_280],
  ['dark', 1_280],
  ['light', 390],
] as const)('is accessible and fits (%s, %i px)', async (colorScheme, width) => {
  const { wallet, client } = await createOwner(0n);
  await client.webhooks.create({
    url: `https://${HOOK}`,
    events: ['spend.settled', 'session.expiring'],
  });
  const page = await openWebhooks({ wallet, colorScheme, width });
  await page.getByRole('region', { name: HOOK }).getByText('Nothing was sent yet.').waitFor();
  await expectNoAxeFindings(page);
  await expectNoSidewaysScroll(page);
  await screenshot(page, `webhooks-${colorScheme}-${width}`);
});
