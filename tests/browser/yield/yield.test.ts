/** The yield view: what is shown, and what each transaction does on chain. */
import { usdc } from '@agent-wallet/sdk';
import { LOCAL, createOwnerClient } from '@agent-wallet/sdk/owner';
import type { Page } from 'playwright-core';
import { expect, inject, it } from 'vitest';
import { expectNoAxeFindings, expectNoSidewaysScroll, screenshot } from '../harness/look.ts';
import { createOwner, signIn } from '../harness/owners.ts';
import { type OpenOptions, useBrowser } from '../harness/use-browser.ts';
import type { TestWallet } from '../harness/test-wallet/test-wallet.ts';

const { openPage } = useBrowser();

/** A client that knows the reserve of the local system. */
async function clientOf({ signer }: TestWallet) {
  const { urls, programId, usdcMint } = inject('browserWorld');
  const deployment = { ...LOCAL, programId, usdcMint };
  const client = createOwnerClient({ url: urls.api, rpcUrl: urls.rpc, deployment, signer });
  await client.signIn();
  return client;
}

async function openYield(options: OpenOptions): Promise<Page> {
  const { page } = await openPage(options);
  await signIn(page);
  await page.getByRole('link', { name: 'Yield', exact: true }).click();
  await page.getByRole('heading', { name: 'Position' }).waitFor();
  return page;
}

async function signAndSend(page: Page): Promise<void> {
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Sign and send' }).click();
  await dialog.getByText('taken effect.').waitFor();
  await dialog.getByRole('button', { name: 'Done' }).click();
}

it('raises the share, deposits up to it and withdraws everything', async () => {
  const { wallet } = await createOwner(usdc('20'));
  const client = await clientOf(wallet);
  const page = await openYield({ wallet });
  await page.getByText('Nothing more may be deployed').waitFor();
  await page.getByLabel('New share').fill('101');
  await page.getByRole('button', { name: 'Change' }).click();
  await page.getByText('Enter a share from 0 to 100').waitFor();
  await page.getByLabel('New share').fill('25');
  await page.getByRole('button', { name: 'Change' }).click();
  await signAndSend(page);
  await page.getByText('at most 25% may be').waitFor();
  const deposit = page.getByRole('region', { name: 'Deposit' });
  await deposit.getByLabel('Amount').fill('6');
  await deposit.getByRole('button', { name: 'Deposit', exact: true }).click();
  await deposit.getByText('At most 5 USDC can be deposited now.').waitFor();
  await deposit.getByLabel('Amount').fill('4');
  await deposit.getByRole('button', { name: 'Deposit', exact: true }).click();
  await signAndSend(page);
  await expect.poll(async () => (await client.yieldPosition()).deployed).toBe(usdc('4'));
  await page.getByText('20% of 20.00 USDC is deployed').waitFor();
  await expectNoAxeFindings(page);
  await screenshot(page, 'yield-deployed');
  await page.getByRole('button', { name: 'Withdraw everything' }).click();
  await signAndSend(page);
  await expect.poll(async () => (await client.yieldPosition()).deployed).toBe(0n);
  await page.getByText('0% of').waitFor();
});

it('says what can be done where yield is switched off', async () => {
  const { wallet } = await createOwner(usdc('20'));
  const { page, context } = await openPage({ wallet });
  await context.route('**/v1/config', async (route) => {
    const response = await route.fetch();
    const config: unknown = await response.json();
    await route.fulfill({ response, json: { ...Object(config), yield_enabled: false } });
  });
  await signIn(page);
  await page.getByRole('link', { name: 'Yield', exact: true }).click();
  await page.getByText('Yield is switched off in this environment.').waitFor();
  expect(await page.getByRole('button', { name: 'Deposit', exact: true }).count()).toBe(0);
  await expectNoAxeFindings(page);
  await screenshot(page, 'yield-disabled');
});

it.each([
  ['light', 1_280],
  ['dark', 1_280],
  ['light', 390],
] as const)('is accessible and fits (%s, %i px)', async (colorScheme, width) => {
  const { wallet } = await createOwner(usdc('20'));
  const page = await openYield({ wallet, colorScheme, width });
  await page.getByText('of 20.00 USDC is deployed').waitFor();
  await expectNoAxeFindings(page);
  await expectNoSidewaysScroll(page);
  await screenshot(page, `yield-${colorScheme}-${width}`);
});
