import { expect, inject, it } from 'vitest';
import { expectNoSidewaysScroll, screenshot } from '../harness/look.ts';
import { useBrowser } from '../harness/use-browser.ts';

const { openPage } = useBrowser();

it('the page of the API shows an endpoint with its headers and asks nobody but the API', async () => {
  const { api } = inject('browserWorld').urls;
  const { page } = await openPage({ wallet: null });
  // What the dashboard loads is no request of the API's page.
  await page.waitForLoadState('networkidle');
  const asked = new Set<string>();
  page.on('request', (request) => asked.add(new URL(request.url()).origin));
  // A refusal of its policy is an error on the console, and fails this test.
  await page.goto(`${api}/docs`);
  await page.getByRole('heading', { name: 'Agent Spending Wallet', level: 1 }).waitFor();
  await page.getByRole('button', { name: 'Spending', exact: false }).first().click();
  await page.getByRole('link', { name: 'Call a service of the catalog' }).first().click();
  await page.getByText('X-Tx-Signature').first().waitFor({ state: 'attached' });
  await expectNoSidewaysScroll(page);
  await screenshot(page, 'api-page');
  expect([...asked]).toEqual([api]);
});
