/** Each view of sessions: looked at by axe-core, on a screen and a phone, in light and dark. */
import { type OwnerClient, usdc } from '@agent-wallet/sdk/owner';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { createAgentWallet } from '../../../libs/sdk/src/index.ts';
import { expectNoAxeFindings, expectNoSidewaysScroll, screenshot } from '../harness/look.ts';
import { createOwner, fund, signIn } from '../harness/owners.ts';
import { createTestWallet, type TestWallet } from '../harness/test-wallet/test-wallet.ts';
import { type OpenOptions, useBrowser } from '../harness/use-browser.ts';
import { confirmTransaction } from '../harness/transactions.ts';
import { fillLimits, openSessions } from './session-page.ts';

const { openPage } = useBrowser();
const DAY_S = 86_400;
const LOOKS = [
  ['light', 1_280],
  ['dark', 1_280],
  ['light', 390],
  ['dark', 390],
] as const;

let wallet: TestWallet;
/** With and without a USDC account. */
let payable: string;
const stranger = createTestWallet().signer.address;
let liveId: string;
let client: OwnerClient;

/** Three sessions: one that has spent, one that is not signed, one that is revoked. */
beforeAll(async () => {
  const owner = await createOwner(250_000_000n);
  ({ wallet, client } = owner);
  payable = createTestWallet().signer.address;
  await fund(payable, { usdc: '1' });
  const live = await create(owner, { max_per_tx: 5_000_000n, daily_cap: 50_000_000n });
  await live.transaction?.sendAndConfirm();
  liveId = live.session_id;
  const agent = createAgentWallet({
    url: inject('browserWorld').urls.api,
    apiKey: live.api_key ?? '',
  });
  const payments = [4_250_000n, 5_000_000n, 3_100_000n].map(async (amount) =>
    agent.waitFor(await agent.transfer({ recipient: payable, amount })),
  );
  await Promise.all(payments);
  const over = await create(owner, { max_per_tx: 1_000_000n, daily_cap: 10_000_000n });
  await over.transaction?.sendAndConfirm();
  await (await owner.client.revoke(over)).sendAndConfirm();
  await create(owner, { max_per_tx: 250_000n, daily_cap: 2_000_000n });
});

const create = (
  owner: { readonly client: OwnerClient; readonly walletId: string },
  limits: { readonly max_per_tx: bigint; readonly daily_cap: bigint },
) =>
  owner.client.createSession({
    ...limits,
    wallet_id: owner.walletId,
    expiry: Math.floor(Date.now() / 1_000) + 30 * DAY_S,
    allowed_recipients: [payable, stranger],
    allowed_instructions: 1,
  });

async function expectFineLook(page: Page, name: string): Promise<void> {
  await expectNoAxeFindings(page);
  await expectNoSidewaysScroll(page);
  await screenshot(page, name);
}

async function open(options: OpenOptions): Promise<Page> {
  const { page } = await openPage({ wallet, ...options });
  await signIn(page);
  await openSessions(page);
  return page;
}

describe.each(LOOKS)('in %s at %i px', (colorScheme, width) => {
  const named = (view: string) => `${view}-${colorScheme}-${width}`;

  it('the list shows what each session has spent and could spend at worst', async () => {
    const page = await open({ colorScheme, width });
    const live = page.getByRole('region', { name: 'Live' });
    await live.getByText('12.35').waitFor();
    const { by_limits } = await client.sessionBlastRadius(liveId);
    const amounts = [by_limits.now, by_limits.within_24h, by_limits.until_expiry];
    const texts = await live.getByRole('definition').allTextContents();
    expect(texts.map((text) => usdc(text.replaceAll(',', '')))).toEqual(amounts);
    await page.getByRole('region', { name: 'To be signed' }).waitFor();
    await page.getByRole('region', { name: 'Ended' }).getByText('Revoked').waitFor();
    await expectFineLook(page, named('sessions'));
  });

  it('a session has its limits, and names the recipient that cannot be paid', async () => {
    const page = await open({ colorScheme, width });
    await page.getByRole('region', { name: 'Live' }).getByRole('link').click();
    await page.waitForURL(`**/sessions/${liveId}`);
    await page.getByText('No USDC account yet: payments to it are refused').waitFor();
    await expectFineLook(page, named('session'));
    await page.getByRole('button', { name: 'Change limits' }).click();
    await expectFineLook(page, named('session-change-limits'));
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Change recipients' }).click();
    await page.getByText('A recipient has no USDC account yet.').waitFor();
    await expectFineLook(page, named('session-change-recipients'));
  });

  it('the form of a new session says what is wrong and what it would allow', async () => {
    const page = await open({ colorScheme, width });
    await page.getByRole('link', { name: 'New session' }).click();
    await page.getByRole('button', { name: 'Review and sign' }).click();
    expect(await page.getByText('Enter an amount of USDC.').count()).toBe(2);
    await expectFineLook(page, named('new-session-refused'));
    await fillLimits(page, { perPayment: '5', daily: '50', recipients: [payable, stranger] });
    await page.getByText('A recipient has no USDC account yet.').waitFor();
    await page.getByText('1,450.00').waitFor();
    await expectFineLook(page, named('new-session'));
  });

  it('the key is shown with its examples', async () => {
    const page = await open({ colorScheme, width });
    await page.getByRole('region', { name: 'Live' }).getByRole('link').click();
    await page.getByRole('button', { name: 'New key' }).click();
    await expectFineLook(page, named('session-new-key-asked'));
    await page.getByRole('button', { name: 'Create a new key' }).click();
    await page.getByText('Copy the key now.').waitFor();
    await expectFineLook(page, named('session-new-key'));
  });
});

it('an owner without sessions is told what to do', async () => {
  const owner = await createOwner(0n);
  const { page } = await openPage({ wallet: owner.wallet });
  await signIn(page);
  await openSessions(page);
  await page.getByText('No agent can spend yet').waitFor();
  await expectFineLook(page, 'sessions-empty');
});

it('a silent API leaves what was there, and says so', async () => {
  const { page, problems } = await openPage({ wallet });
  problems.expect(/Failed to load resource/);
  await signIn(page);
  await openSessions(page);
  await page.getByRole('region', { name: 'Live' }).waitFor();
  await page.route('**/v1/session', (route) =>
    route.fulfill({
      status: 400,
      json: { error: 'broken', code: 'BAD_REQUEST', layer: 'off-chain', retryable: false },
    }),
  );
  await page.evaluate("dispatchEvent(new Event('focus'))");
  await page.getByRole('button', { name: 'Try again' }).waitFor();
  await page.getByRole('region', { name: 'Live' }).waitFor();
  await expectFineLook(page, 'sessions-stale');
  await page.unroute('**/v1/session');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('button', { name: 'Try again' }).waitFor({ state: 'detached' });
});

it('a session is created with the keyboard alone', async () => {
  const owner = await createOwner(0n);
  const { page } = await openPage({ wallet: owner.wallet });
  await signIn(page);
  await openSessions(page);
  await page.getByRole('link', { name: 'New session' }).focus();
  await page.keyboard.press('Enter');
  await page.getByLabel('At most per payment').focus();
  for (const text of ['2', '20']) {
    await page.keyboard.type(text);
    await page.keyboard.press('Tab');
  }
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Create a session' }).waitFor();
  await confirmTransaction(page, 'Show the key');
  await page.getByRole('heading', { name: 'The session is live' }).waitFor();
  await expect(owner.client.sessions()).resolves.toMatchObject([{ status: 'live' }]);
});
