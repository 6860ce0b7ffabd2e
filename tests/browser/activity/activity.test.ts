/** Spends and decisions as an owner reads them: filter, paging, reasons and the exported file. */
import { isAgentWalletError } from '@agent-wallet/sdk';
import { text as readText } from 'node:stream/consumers';
import type { Download, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { expectNoAxeFindings, expectNoSidewaysScroll, screenshot } from '../harness/look.ts';
import { signIn } from '../harness/owners.ts';
import { type OpenOptions, useBrowser } from '../harness/use-browser.ts';
import { createSpendingOwner, newAddress, pay, type SpendingOwner } from './spending-owner.ts';

const { openPage } = useBrowser();
let owner: SpendingOwner;

/** Two payments, and three that are refused: by the limit, the list of recipients and the policy. */
beforeAll(async () => {
  owner = await createSpendingOwner();
  const { agent, recipient } = owner;
  await pay(owner, '0.5');
  await pay(owner, '0.25');
  await expectRefusal('AmountExceedsMaxPerTx', agent.transfer({ recipient, amount: 2_000_000n }));
  const stranger = newAddress();
  await expectRefusal(
    'RecipientNotAllowed',
    agent.transfer({ recipient: stranger, amount: 10_000n }),
  );
  await expectRefusal(
    'URL_NOT_ALLOWED',
    agent.signPayment({ url: 'https://api.example.com/a,b', recipient, amount: 10_000n }),
  );
});

async function expectRefusal(code: string, call: Promise<unknown>): Promise<void> {
  const error: unknown = await call.catch((reason: unknown) => reason);
  expect(isAgentWalletError(error) ? error.code : error).toBe(code);
}

async function openActivity(options: OpenOptions = {}): Promise<Page> {
  const { page } = await openPage({ ...options, wallet: owner.wallet });
  await signIn(page);
  await page.getByRole('link', { name: 'Activity', exact: true }).click();
  await page.getByRole('heading', { name: 'Activity' }).waitFor();
  await rows(page, 'Spends').first().waitFor();
  return page;
}

const rows = (page: Page, list: 'Spends' | 'Decisions') =>
  page.getByRole('table', { name: `${list}, newest first` }).locator('tbody tr');
const showDecisions = async (page: Page) => {
  await page.getByRole('link', { name: 'Decisions', exact: true }).click();
  await rows(page, 'Decisions').first().waitFor();
};

/** The browser may be on another machine, so the file is read over the connection. */
async function textOf(file: Download): Promise<string> {
  return readText(await file.createReadStream());
}

describe.each([
  ['light', 1_280],
  ['dark', 1_280],
  ['light', 390],
] as const)('the activity (%s, %i px)', (colorScheme, width) => {
  it('is accessible and fits', async () => {
    const page = await openActivity({ colorScheme, width });
    await expectNoAxeFindings(page);
    await expectNoSidewaysScroll(page);
    await screenshot(page, `activity-${colorScheme}-${width}`);
    await showDecisions(page);
    await expectNoAxeFindings(page);
    await expectNoSidewaysScroll(page);
    await screenshot(page, `activity-decisions-${colorScheme}-${width}`);
  });
});

describe('the lists', () => {
  it('show refusals in words, and what the filter leaves', async () => {
    const page = await openActivity();
    await expect.poll(() => rows(page, 'Spends').count()).toBe(4);
    await page.getByLabel('Status').selectOption('Refused');
    await expect.poll(() => rows(page, 'Spends').count()).toBe(2);
    await page.getByText('The recipient is not in the list of this session.').waitFor();
    await page.getByText('The amount is above the limit for one transfer.').waitFor();
    await page.getByLabel('Kind').selectOption('Catalog service');
    await page.getByText('No spends match the filter.').waitFor();
    await page.getByRole('button', { name: 'Show all spends' }).click();
    await expect.poll(() => rows(page, 'Spends').count()).toBe(4);
  });

  it('keep the filter over a reload and in the address', async () => {
    const page = await openActivity();
    await showDecisions(page);
    await page.getByLabel('Decision', { exact: true }).selectOption('Refused');
    await page.getByLabel('Time').selectOption('Last 24 hours');
    await expect.poll(() => rows(page, 'Decisions').count()).toBe(3);
    expect(new URL(page.url()).search).toBe('?list=decisions&decision=deny&range=day');
    await page.reload();
    await expect.poll(() => rows(page, 'Decisions').count()).toBe(3);
    await page.getByText('No entry of your URL allowlist covers this URL').waitFor();
    await page.getByLabel('Time').selectOption('Chosen days');
    await page.getByLabel('First day').fill('2026-01-02');
    await page.getByLabel('Last day').fill('2026-01-01');
    await page.getByText('It is before the first day.').waitFor();
  });

  it('are saved as a CSV file with amounts in USDC', async () => {
    const page = await openActivity();
    await showDecisions(page);
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export CSV' }).click();
    const file = await download;
    expect(file.suggestedFilename()).toMatch(/^decisions-\d{4}-\d\d-\d\d\.csv$/);
    const text = await textOf(file);
    const lines = text.split('\r\n');
    const shown = await rows(page, 'Decisions').count();
    expect(lines).toHaveLength(shown + 2);
    expect(text).toContain(
      ',sign_payment,deny,0.01,"https://api.example.com/a,b",URL_NOT_ALLOWED,',
    );
    expect(text).toMatch(/,transfer,allow,0\.25,/);
    await page.getByText(`Saved ${shown} rows.`).waitFor();
  });

  it('lead to the transaction in the explorer, where the deployment names one', async () => {
    const { page, context } = await openPage({ wallet: owner.wallet });
    await context.route('**/config.json', async (route) => {
      const response = await route.fetch();
      const settings: unknown = await response.json();
      const explorerUrl = 'https://explorer.example.com/{kind}/{id}?cluster=devnet';
      await route.fulfill({ response, json: { ...Object(settings), explorerUrl } });
    });
    await page.reload();
    await signIn(page);
    await page.getByRole('link', { name: 'Activity', exact: true }).click();
    const link = rows(page, 'Spends').getByRole('link', { name: /^View/ }).first();
    const spends = await Array.fromAsync(owner.client.spends({ status: 'confirmed' }));
    expect(await link.getAttribute('href')).toBe(
      `https://explorer.example.com/tx/${spends[0]?.tx_signature}?cluster=devnet`,
    );
  });

  it('follow a pending spend until it has settled', async () => {
    const { page, context } = await openPage({ wallet: owner.wallet });
    let isPending = true;
    await context.route('**/v1/spends?*', async (route) => {
      const response = await route.fetch();
      const text = await response.text();
      const body = isPending ? text.replace('"status":"confirmed"', '"status":"pending"') : text;
      await route.fulfill({ response, body });
    });
    await signIn(page);
    await page.getByRole('link', { name: 'Activity', exact: true }).click();
    const badge = rows(page, 'Spends').getByText('Pending');
    await badge.waitFor();
    isPending = false;
    await badge.waitFor({ state: 'detached' });
    expect(await rows(page, 'Spends').getByText('Confirmed').count()).toBe(2);
  });
});
