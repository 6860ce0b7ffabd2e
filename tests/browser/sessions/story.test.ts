/** The story of a session: created, used by an agent over HTTP, changed, its key replaced, revoked. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { expect, inject, it } from 'vitest';
import { z } from 'zod';
import { fund, createOwner, signIn } from '../harness/owners.ts';
import { createTestWallet } from '../harness/test-wallet/test-wallet.ts';
import { useBrowser } from '../harness/use-browser.ts';
import { connectStdio } from '../../support/mcp/connect-mcp.ts';
import { confirmTransaction } from '../harness/transactions.ts';
import { fillLimits, openSessions, region, shownKey } from './session-page.ts';

const { openPage } = useBrowser();
const run = promisify(execFile);

const mcpSettings = z.object({
  mcpServers: z.object({ 'agent-wallet': z.object({ env: z.record(z.string(), z.string()) }) }),
});

async function snippet(page: Page, name: 'SDK' | 'curl' | 'MCP'): Promise<string> {
  await page.getByRole('button', { name, exact: true }).click();
  return page.getByLabel(`Example for ${name}`).innerText();
}

const replyOf = async (command: string): Promise<unknown> => {
  const { stdout } = await run('bash', ['-c', `${command} --silent`]);
  return JSON.parse(stdout);
};

it('is a session whose agent spends with the key that was shown', async () => {
  const { urls } = inject('browserWorld');
  const { wallet } = await createOwner(50_000_000n);
  const recipient = createTestWallet().signer.address;
  await fund(recipient, { usdc: '1' });
  const { page } = await openPage({ wallet });
  await signIn(page);
  await openSessions(page);

  await page.getByRole('link', { name: 'New session' }).click();
  await fillLimits(page, { perPayment: '1.5', daily: '5', recipients: [recipient] });
  await page.getByText('The recipient has a USDC account.').waitFor();
  await page.getByRole('button', { name: 'Review and sign' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create a session' });
  await dialog
    .getByText('may pay at most 1.50 USDC per payment and 5.00 USDC in 24 hours, to 1 recipient')
    .waitFor();
  await dialog.getByText(recipient).waitFor();
  await confirmTransaction(page, 'Show the key');
  await page.getByRole('heading', { name: 'The session is live' }).waitFor();

  // What the page tells the agent's developer is true, word for word.
  const apiKey = await shownKey(page);
  const curl = await snippet(page, 'curl');
  await expect(replyOf(curl)).resolves.toMatchObject({ status: 'confirmed' });
  const sdk = await snippet(page, 'SDK');
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', sdk], {
    env: { ...process.env, AGENT_WALLET_KEY: apiKey },
  });
  expect(stdout).toMatch(/^[1-9A-HJ-NP-Za-km-z]{86,88}\n$/);
  const mcp = mcpSettings.parse(JSON.parse(await snippet(page, 'MCP')));
  const client = await connectStdio(mcp.mcpServers['agent-wallet'].env);
  const { structuredContent } = await client.callTool({ name: 'get_limits', arguments: {} });
  expect(structuredContent).toMatchObject({ result: { daily_spent: '0.02', max_per_tx: '1.5' } });
  await client.close();

  await page.getByRole('link', { name: 'I have copied the key' }).click();
  const spending = region(page, 'Spending');
  await spending.getByText('0.02').waitFor();
  await spending.getByText('of 5.00 USDC spent in 24 hours').waitFor();
  expect(await page.content()).not.toContain(apiKey);
  await spending.getByRole('link', { name: 'Look at its payments' }).click();
  await page.getByRole('heading', { name: 'Activity' }).waitFor();
  await page.goBack();

  await page.getByRole('button', { name: 'Change limits' }).click();
  await page.getByLabel('At most per payment').fill('0.005');
  await page.getByRole('button', { name: 'Review and sign' }).click();
  await page.getByText(/Change the limits of session \d+, so that it may pay at most/).waitFor();
  await confirmTransaction(page);
  await region(page, 'Limits').getByText('0.005 USDC').waitFor();
  await expect(replyOf(curl.replace('first-payment', 'second-payment'))).resolves.toMatchObject({
    code: 'AmountExceedsMaxPerTx',
  });

  await page.getByRole('button', { name: 'New key' }).click();
  await page.getByRole('button', { name: 'Create a new key' }).click();
  await page.getByRole('dialog', { name: 'The new key' }).waitFor();
  const newKey = await shownKey(page);
  const balance = (key: string) =>
    replyOf(`curl ${urls.api}/v1/yield/position -H 'Authorization: Bearer ${key}'`);
  await expect(balance(apiKey)).resolves.toMatchObject({ error: 'api key revoked' });
  await expect(balance(newKey)).resolves.toMatchObject({ deployed: '0' });
  // Escape must not lose the key.
  await page.keyboard.press('Escape');
  expect(await shownKey(page)).toBe(newKey);
  await page.getByRole('button', { name: 'I have copied the key' }).click();

  await page.getByRole('button', { name: 'Change recipients' }).click();
  await page.getByRole('textbox', { name: 'Recipients' }).fill('');
  await page.getByRole('button', { name: 'Review and sign' }).click();
  await page.getByText('so that it can pay nobody').waitFor();
  await confirmTransaction(page);
  await region(page, 'Recipients').getByText('None: it can pay nobody.').waitFor();

  await page.getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('Its agent can never spend again').waitFor();
  await confirmTransaction(page);
  await page.getByText('Revoked', { exact: true }).waitFor();
  // The API learns of it from the chain.
  await expect.poll(() => balance(newKey)).toMatchObject({ error: 'session revoked' });
});
