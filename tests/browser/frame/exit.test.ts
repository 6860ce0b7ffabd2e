import type { Page } from 'playwright-core';
import { expect, inject, it } from 'vitest';
import { expectNoAxeFindings, expectShown, screenshot } from '../harness/look.ts';
import { createAgent, createOwner, signIn } from '../harness/owners.ts';
import { confirmTransaction } from '../harness/transactions.ts';
import { type OpenedPage, useBrowser } from '../harness/use-browser.ts';

const { openPage } = useBrowser();

/** Lets the page reach its own server and the chain, and nothing of the API. */
async function cutOff({ context, problems }: OpenedPage): Promise<void> {
  problems.expect(/ERR_CONNECTION_REFUSED|ERR_FAILED/);
  await context.route(`${inject('browserWorld').urls.api}/**`, (route) => route.abort());
  const viaLocalhost = inject('browserWorld').urls.api.replace('127.0.0.1', 'localhost');
  await context.route(`${viaLocalhost}/**`, (route) => route.abort('connectionrefused'));
}

async function takeStep(page: Page, name: string): Promise<void> {
  const step = page.getByRole('listitem', { name });
  await step.getByRole('button').click();
  await confirmTransaction(page);
  await expectShown(step.getByText('Done'));
}

it('an owner pauses, revokes and withdraws everything while the service is down', async () => {
  const owner = await createOwner(40_000_000n);
  const { wallet, client } = owner;
  await createAgent(owner, { max_per_tx: 1_000_000n, daily_cap: 1_000_000n });
  await createAgent(owner, { max_per_tx: 1_000_000n, daily_cap: 2_000_000n });
  await (await client.setMaxDeployedFraction(5_000)).sendAndConfirm();
  await (await client.yieldDeposit({ amount: 10_000_000n })).sendAndConfirm();
  const opened = await openPage({ wallet });
  const { page } = opened;
  await signIn(page);
  await cutOff(opened);
  await expectShown(page.getByText('The service does not respond.'));
  await screenshot(page, 'service-down');
  await page.getByRole('link', { name: 'pause and withdraw without the service' }).click();
  await expectShown(page.getByText('2 sessions are open.'));
  await expectNoAxeFindings(page);
  await screenshot(page, 'exit');
  await takeStep(page, 'Pause all spending');
  await takeStep(page, 'Revoke all sessions');
  await takeStep(page, 'Redeem from yield');
  await takeStep(page, 'Withdraw everything');
  await screenshot(page, 'exit-done');
  const { paused, liquid, deployed_amount } = await client.wallet();
  expect({ paused, liquid, deployed_amount }).toEqual({
    paused: true,
    liquid: 0n,
    deployed_amount: 0n,
  });
});

it('the way out needs no sign-in, and says when there is no vault', async () => {
  const opened = await openPage({ path: '/exit' });
  const { page } = opened;
  await cutOff(opened);
  await page.reload();
  await page.getByRole('button', { name: 'Connect with Test Wallet' }).click();
  await expectShown(page.getByText('There is no vault of this wallet on the chain.'));
});

it('a service of another deployment is not used, and does not close the way out', async () => {
  const { urls } = inject('browserWorld');
  const { page, context } = await openPage();
  await context.route('**/v1/config', (route) =>
    route.fulfill({
      json: { cluster: 'devnet', program_id: 'another', usdc_mint: 'another' },
      headers: { 'access-control-allow-origin': urls.dashboard },
    }),
  );
  await page.reload();
  await expectShown(page.getByText('Sign nothing here.'));
  await page.getByRole('link', { name: 'Pause and withdraw without the service' }).click();
  await page.getByRole('button', { name: 'Connect with Test Wallet' }).click();
  await expectShown(page.getByText('There is no vault of this wallet on the chain.'));
});
