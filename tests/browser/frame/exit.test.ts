import type { Page } from 'playwright-core';
import { expect, inject, it } from 'vitest';
import { expectNoAxeFindings, expectShown, screenshot } from '../harness/look.ts';
import { createOwner, signIn } from '../harness/owners.ts';
import { createTestWallet } from '../harness/test-wallet/test-wallet.ts';
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
  const { wallet, client, walletId } = await createOwner(40_000_000n);
  for (const daily_cap of [1_000_000n, 2_000_000n]) {
    const { transaction } = await client.createSession({
      wallet_id: walletId,
      max_per_tx: 1_000_000n,
      daily_cap,
      expiry: Math.floor(Date.now() / 1_000) + 86_400,
      allowed_recipients: [createTestWallet().signer.address],
      allowed_instructions: 1,
    });
    await transaction?.sendAndConfirm();
  }
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
  await takeStep(page, 'Withdraw everything');
  await screenshot(page, 'exit-done');
  const { paused, liquid } = await client.wallet();
  expect({ paused, liquid }).toEqual({ paused: true, liquid: 0n });
});

it('the way out needs no sign-in, and says when there is no vault', async () => {
  const opened = await openPage({ path: '/exit' });
  const { page } = opened;
  await cutOff(opened);
  await page.reload();
  await page.getByRole('button', { name: 'Connect with Test Wallet' }).click();
  await expectShown(page.getByText('There is no vault of this wallet on the chain.'));
});
