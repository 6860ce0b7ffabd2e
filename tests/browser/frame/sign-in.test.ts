import { expect, inject, it } from 'vitest';
import { pageSettings } from '../../../apps/dashboard/page/page-settings.ts';
import {
  expectNoAxeFindings,
  expectNoSidewaysScroll,
  expectShown,
  screenshot,
} from '../harness/look.ts';
import { createOwner, signIn } from '../harness/owners.ts';
import { useBrowser } from '../harness/use-browser.ts';

const { openPage } = useBrowser();
const SIGN_IN = { name: 'Sign in with Test Wallet' };

it.each([
  ['light', 1_280],
  ['dark', 1_280],
  ['light', 390],
] as const)('the sign-in is accessible and fits, %s at %d px', async (colorScheme, width) => {
  const { page } = await openPage({ colorScheme, width });
  await expectShown(page.getByRole('button', SIGN_IN));
  await expectNoAxeFindings(page);
  await expectNoSidewaysScroll(page);
  await screenshot(page, `sign-in-${colorScheme}-${width}`);
});

it('a browser without a wallet is told what to do', async () => {
  const { page } = await openPage({ wallet: null });
  await expectShown(page.getByText('This browser has no Solana wallet.'));
  await expectNoAxeFindings(page);
  await screenshot(page, 'sign-in-no-wallet');
});

it('an owner signs in by keyboard alone, stays signed in over a reload, and signs out', async () => {
  const { wallet } = await createOwner(25_000_000n);
  const { page } = await openPage({ wallet });
  await expectShown(page.getByRole('button', SIGN_IN));
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  const overview = page.getByRole('heading', { name: 'Overview' });
  await expectShown(overview);
  await page.reload();
  await expectShown(overview);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expectShown(page.getByRole('button', SIGN_IN));
  await page.reload();
  await expectShown(page.getByRole('button', SIGN_IN));
});

it('a rejected signature can be tried again', async () => {
  const { wallet } = await createOwner(0n);
  const { page, order } = await openPage({ wallet });
  await order({ signing: 'rejects' });
  await page.getByRole('button', SIGN_IN).click();
  await expectShown(page.getByRole('alert').getByText('Your wallet did not sign.'));
  await screenshot(page, 'sign-in-rejected');
  await order({ signing: 'approves' });
  await signIn(page);
});

it('a signature of another text is refused', async () => {
  const { page, order, problems } = await openPage();
  problems.expect(/401 .*\/v1\/auth\/siws$/);
  await order({ signing: 'other-bytes' });
  await page.getByRole('button', SIGN_IN).click();
  await expectShown(page.getByRole('alert').getByText('invalid signature'));
});

it('another account of the wallet signs in anew, and sees nothing of the first', async () => {
  const { wallet } = await createOwner(25_000_000n);
  const { page, order } = await openPage({ wallet });
  await signIn(page);
  await expectShown(page.getByRole('region', { name: 'Balance' }).getByText('25.00').first());
  await order({ selected: 1 });
  await signIn(page);
  await expectShown(page.getByRole('heading', { name: 'Create your vault' }));
  expect(await page.getByText('25.00').count()).toBe(0);
});

it('an ended sign-in leads back to the route after signing in again', async () => {
  const { wallet } = await createOwner(25_000_000n);
  const { page, context, problems } = await openPage({ wallet });
  problems.expect(/401 .*\/v1\//);
  await signIn(page);
  await page.getByRole('link', { name: 'Withdraw' }).click();
  await expectShown(page.getByRole('heading', { name: 'Withdraw' }));
  await context.clearCookies();
  await expectShown(page.getByText('Your sign-in has ended.'));
  await page.getByRole('button', SIGN_IN).click();
  await expectShown(page.getByRole('heading', { name: 'Withdraw' }));
});

it('signing out in one tab signs out the other', async () => {
  const { wallet } = await createOwner(0n);
  const { page, context } = await openPage({ wallet });
  await signIn(page);
  const other = await context.newPage();
  await other.goto('/withdraw');
  await expectShown(other.getByRole('heading', { name: 'Withdraw' }));
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expectShown(other.getByRole('button', SIGN_IN));
});

it.each([
  ['programId', 'CQZrTbkk1MwyhHtTG1wqJr8YrVk7oHK8h3E2C3tKgiDD', 'program'],
  ['usdcMint', 'So11111111111111111111111111111111111111112', 'USDC mint'],
  ['cluster', 'mainnet', 'cluster'],
])('a page with another %s than its service lets nobody sign', async (field, value, word) => {
  const { page, context } = await openPage();
  const response = await fetch(new URL('/config.json', inject('browserWorld').urls.dashboard));
  const changed = { ...pageSettings.parse(await response.json()), [field]: value };
  await context.route('**/config.json', (route) => route.fulfill({ json: changed }));
  await page.reload();
  await expectShown(page.getByRole('alert').getByText(`The ${word} of this page is ${value}`));
  expect(await page.getByRole('button').count()).toBe(0);
});

it('a script that somebody put into the page does not run, and nothing is sent elsewhere', async () => {
  const { page, problems } = await openPage();
  problems.expect(/Content Security Policy/);
  await expectShown(page.getByRole('button', SIGN_IN));
  const refusedBy = (attempt: string) =>
    page.evaluate(`new Promise((resolve) => {
      const noted = ({ effectiveDirective }) => resolve(effectiveDirective);
      document.addEventListener('securitypolicyviolation', noted, { once: true });
      ${attempt}
    })`);
  const script = `const script = document.createElement('script');
    script.textContent = 'document.title = "taken over"';
    document.body.append(script);`;
  expect(await refusedBy(script)).toBe('script-src-elem');
  expect(await page.title()).toBe('Agent Spending Wallet');
  expect(await refusedBy("fetch('https://example.com/').catch(() => {});")).toBe('connect-src');
});
