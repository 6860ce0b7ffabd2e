/** A session whose creation was interrupted, and two tabs of one owner. */
import type { Page } from 'playwright-core';
import { describe, expect, inject, it } from 'vitest';
import { createAgentWallet } from '../../../libs/sdk/src/index.ts';
import { expectNoAxeFindings, screenshot } from '../harness/look.ts';
import { createOwner, fund, signIn } from '../harness/owners.ts';
import { createTestWallet } from '../harness/test-wallet/test-wallet.ts';
import { useBrowser } from '../harness/use-browser.ts';
import { confirmTransaction } from '../harness/transactions.ts';
import { fillLimits, openSessions, shownKey } from './session-page.ts';

const { openPage } = useBrowser();

async function openNewSession() {
  const owner = await createOwner(20_000_000n);
  const recipient = createTestWallet().signer.address;
  await fund(recipient, { usdc: '1' });
  const opened = await openPage({ wallet: owner.wallet });
  await signIn(opened.page);
  await openSessions(opened.page);
  await fillForm(opened.page, recipient);
  return { ...owner, ...opened, recipient };
}

async function fillForm(page: Page, recipient: string): Promise<void> {
  await page.getByRole('link', { name: 'New session' }).click();
  await fillLimits(page, { perPayment: '1', daily: '5', recipients: [recipient] });
}

const review = async (page: Page) => {
  await page.getByRole('button', { name: 'Review and sign' }).click();
  await page.getByRole('dialog').getByText('Create a session that may pay').waitFor();
};

const focus = (page: Page) => page.evaluate("dispatchEvent(new Event('focus'))");

describe('a page that is reloaded between creation and signature', () => {
  it('offers the same session again, and a new key in place of the lost one', async () => {
    const { page, client, recipient } = await openNewSession();
    await review(page);
    await page.reload();
    await openSessions(page);
    const finish = page.getByRole('button', { name: 'Sign it now' });
    await finish.waitFor();
    await screenshot(page, 'sessions-to-be-signed');
    await finish.click();
    await confirmTransaction(page, 'Show the key');
    await page.getByText('nobody can read it again').waitFor();
    await expectNoAxeFindings(page);
    await page.getByRole('button', { name: 'Create a new key' }).click();
    const apiKey = await shownKey(page);
    const agent = createAgentWallet({ url: inject('browserWorld').urls.api, apiKey });
    await agent.waitFor(await agent.transfer({ recipient, amount: 10_000n }));
    expect(await client.sessions()).toHaveLength(1);
    await page.getByRole('button', { name: 'I have copied the key' }).click();
    await page.getByRole('region', { name: 'Live' }).waitFor();
    expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain(apiKey);
  });

  it('keeps a request whose reply was lost, and creates no second session with it', async () => {
    const { page, client, problems } = await openNewSession();
    problems.expect(/Failed to load|ERR_FAILED/);
    const { promise: isLost, resolve: lose } = Promise.withResolvers<void>();
    await page.route('**/v1/session', async (route) => {
      if (route.request().method() !== 'POST') return route.fallback();
      await route.fetch();
      lose();
      return undefined;
    });
    await page.getByRole('button', { name: 'Review and sign' }).click();
    await isLost;
    await page.reload();
    await page.unroute('**/v1/session');
    await openSessions(page);
    await page.getByText('A session was requested, and the reply was lost').waitFor();
    await expectNoAxeFindings(page);
    await page.getByRole('button', { name: 'Continue' }).click();
    await confirmTransaction(page, 'Show the key');
    await page.getByRole('button', { name: 'Create a new key' }).click();
    expect(await shownKey(page)).toMatch(/^svc_dev_/);
    expect(await client.sessions()).toHaveLength(1);
  });
});

it('the dialog says that closing it while the session is created loses the key', async () => {
  const { page, problems } = await openNewSession();
  problems.expect(/ERR_FAILED|Failed to load/);
  await review(page);
  await page.route(`${new URL(inject('browserWorld').urls.rpc).origin}/**`, (route) =>
    route.abort(),
  );
  await page.getByRole('button', { name: 'Sign and send' }).click();
  await page.getByText('The key of the session is not shown then').waitFor();
  await expectNoAxeFindings(page);
});

describe('two tabs', () => {
  it('show what the other one has changed as soon as they are looked at', async () => {
    const { page, context } = await openNewSession();
    await review(page);
    await confirmTransaction(page, 'Show the key');
    await page.getByRole('link', { name: 'I have copied the key' }).click();
    const other = await context.newPage();
    await other.goto('/sessions');
    await other.getByRole('region', { name: 'Live' }).waitFor();
    await page.getByRole('button', { name: 'Revoke' }).click();
    await confirmTransaction(page);
    await focus(other);
    const ended = other.getByRole('region', { name: 'Ended' });
    await expect.poll(() => ended.getByText('Revoked').count()).toBe(1);
  });

  it('cannot both sign a session that they prepared at once; the later one prepares it again', async () => {
    const { page, context, client, recipient } = await openNewSession();
    const other = await context.newPage();
    await other.goto('/sessions');
    await fillForm(other, recipient);
    await review(page);
    await review(other);
    await confirmTransaction(other, 'Show the key');
    await page.getByRole('button', { name: 'Sign and send' }).click();
    await page.getByText('Another session was created in the meantime').waitFor();
    await expectNoAxeFindings(page);
    await page.getByRole('button', { name: 'Prepare again' }).click();
    await confirmTransaction(page, 'Show the key');
    // The same request: its key is still the one of the first reply.
    expect(await shownKey(page)).toMatch(/^svc_dev_/);
    const statuses = (await client.sessions()).map(({ status }) => status);
    expect(statuses).toEqual(['live', 'live']);
  });
});
