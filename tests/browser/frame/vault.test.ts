import { expect, it } from 'vitest';
import { expectNoAxeFindings, expectNoSidewaysScroll, screenshot } from '../harness/look.ts';
import { createAgent, createOwner, fund, signIn } from '../harness/owners.ts';
import { confirmTransaction } from '../harness/transactions.ts';
import { createTestWallet } from '../harness/test-wallet/test-wallet.ts';
import { useBrowser } from '../harness/use-browser.ts';

const { openPage } = useBrowser();

it('an owner creates the vault, funds it and watches the balance', async () => {
  const wallet = createTestWallet();
  await fund(wallet.signer.address, { lamports: 1_000_000_000 });
  const { page } = await openPage({ wallet });
  await signIn(page);
  await expectNoAxeFindings(page);
  await screenshot(page, 'create-vault');
  await page.getByRole('button', { name: 'Create the vault' }).click();
  await confirmTransaction(page);
  await page.getByRole('heading', { name: 'Fund the vault' }).waitFor();
  const code = page.getByRole('region', { name: 'Send USDC to this address' }).locator('code');
  const address = (await code.first().textContent()) ?? '';
  await expectNoAxeFindings(page);
  await fund(address, { usdc: '12500000' });
  await page.getByText('12.50 USDC received.').waitFor();
  await screenshot(page, 'fund');
  expect(await page.getByRole('region', { name: 'In the vault' }).textContent()).toContain('12.50');
});

it('an owner pauses and resumes all spending', async () => {
  const { wallet, client } = await createOwner(1_000_000n);
  const { page } = await openPage({ wallet });
  await signIn(page);
  await page.getByRole('button', { name: 'Pause all spending' }).click();
  await confirmTransaction(page);
  await page.getByText('All spending is paused.').waitFor();
  expect((await client.wallet()).paused).toBe(true);
  await page.getByRole('button', { name: 'Resume spending' }).click();
  await confirmTransaction(page);
  await page.getByRole('button', { name: 'Pause all spending' }).waitFor();
  expect((await client.wallet()).paused).toBe(false);
});

it('an owner withdraws an amount, then everything', async () => {
  const { wallet, client } = await createOwner(30_000_000n);
  const { page } = await openPage({ wallet });
  await signIn(page);
  await page.getByRole('link', { name: 'Withdraw' }).click();
  const amount = page.getByRole('textbox', { name: 'Amount' });
  await amount.fill('31');
  await page.getByRole('button', { name: 'Withdraw', exact: true }).click();
  await page.getByText('At most 30 USDC can be withdrawn now.').waitFor();
  await expectNoAxeFindings(page);
  await amount.fill('10.25');
  await page.getByRole('button', { name: 'Withdraw', exact: true }).click();
  await confirmTransaction(page);
  await page.getByText('The USDC is in your wallet.').waitFor();
  expect((await client.wallet()).liquid).toBe(19_750_000n);
  await screenshot(page, 'withdraw');
  await page.getByRole('button', { name: 'Withdraw everything' }).click();
  await confirmTransaction(page);
  await page.getByRole('region', { name: 'In the vault' }).getByText('0.00').waitFor();
  expect((await client.wallet()).liquid).toBe(0n);
});

it.each([
  ['light', 1_280],
  ['dark', 1_280],
  ['light', 390],
] as const)('the overview is accessible and fits, %s at %d px', async (colorScheme, width) => {
  const owner = await createOwner(25_000_000n);
  const { wallet } = owner;
  const limits = { max_per_tx: 2_000_000n, daily_cap: 5_000_000n, days: 3 };
  const { agent, recipient } = await createAgent(owner, limits);
  await agent.transfer({ recipient, amount: 1_250_000n });
  const { page } = await openPage({ wallet, colorScheme, width });
  await signIn(page);
  const atRisk = page.getByRole('region', { name: 'Agents could spend now, at worst' });
  await atRisk.getByText('a thief of the one live session’s key could spend').waitFor();
  await page.getByRole('table', { name: 'Live sessions' }).waitFor();
  await page.getByRole('table', { name: 'Latest spends' }).getByText('1.25').waitFor();
  expect(await atRisk.textContent()).toContain('3.75');
  await expectNoAxeFindings(page);
  await expectNoSidewaysScroll(page);
  await screenshot(page, `overview-${colorScheme}-${width}`);
});
