import { expect, it } from 'vitest';
import { expectNoAxeFindings, screenshot } from '../harness/look.ts';
import { createOwner, signIn } from '../harness/owners.ts';
import { useBrowser } from '../harness/use-browser.ts';

const { openPage } = useBrowser();

it('an owner signs in and sees the balance', async () => {
  const { wallet } = await createOwner(25_000_000n);
  const { page } = await openPage({ wallet });
  await page.getByRole('button', { name: 'Sign in with Test Wallet' }).waitFor();
  await expectNoAxeFindings(page);
  await screenshot(page, 'sign-in');
  await signIn(page);
  expect(await page.getByRole('region', { name: 'Balance' }).textContent()).toContain('25.00');
  await expectNoAxeFindings(page);
  await screenshot(page, 'overview');
});
