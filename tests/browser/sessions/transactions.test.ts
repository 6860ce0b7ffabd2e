/** The dialog in which every transaction is shown, signed and sent, and all that can go wrong in it. */
import { ComputeBudgetProgram, Transaction } from '@solana/web3.js';
import type { Page } from 'playwright-core';
import { describe, expect, inject, it } from 'vitest';
import { z } from 'zod';
import { expectNoAxeFindings, expectNoSidewaysScroll, screenshot } from '../harness/look.ts';
import { clientOf, fund, signIn } from '../harness/owners.ts';
import { type OpenOptions, useBrowser } from '../harness/use-browser.ts';
import { createTestWallet } from '../harness/test-wallet/test-wallet.ts';

const { openPage } = useBrowser();
const SOL = 1_000_000_000;

/** The dialog that creates the vault of a new owner. */
async function openDialog(options: OpenOptions & { readonly lamports?: number } = {}) {
  const { lamports = SOL, ...open } = options;
  const wallet = createTestWallet();
  if (lamports > 0) await fund(wallet.signer.address, { lamports });
  const opened = await openPage({ ...open, wallet });
  await signIn(opened.page);
  await opened.page.getByRole('button', { name: 'Create the vault' }).click();
  await dialogOf(opened.page).getByText('Create your vault, none of which').waitFor();
  return { ...opened, dialog: dialogOf(opened.page) };
}

const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Create your vault' });
const button = (page: Page, name: string) => dialogOf(page).getByRole('button', { name });
const sign = (page: Page) => button(page, 'Sign and send').click();

/** The calls that send a transaction from now on. */
function watchSent(page: Page): readonly string[] {
  const sent: string[] = [];
  page.on('request', (request) => {
    const body = request.postData() ?? '';
    if (body.includes('sendTransaction')) sent.push(body);
  });
  return sent;
}

const SET_UNIT_PRICE = 3;

/** The prices in a transaction, in micro-lamports for each compute unit. */
const unitPricesIn = (base64: string): readonly bigint[] =>
  Transaction.from(Buffer.from(base64, 'base64')).instructions.flatMap(({ programId, data }) =>
    programId.equals(ComputeBudgetProgram.programId) && data[0] === SET_UNIT_PRICE
      ? [data.readBigUInt64LE(1)]
      : [],
  );

async function expectFailure(page: Page, title: string, goOn: string): Promise<void> {
  await dialogOf(page).getByText(title, { exact: true }).waitFor();
  await button(page, goOn).waitFor();
  await expectNoAxeFindings(page);
}

async function expectConfirmed(page: Page): Promise<void> {
  await dialogOf(page).getByText('It has taken effect.').waitFor();
  await button(page, 'Done').click();
  await page.getByRole('heading', { name: 'Fund the vault' }).waitFor();
}

describe('a transaction', () => {
  it.each([
    ['light', 1_280],
    ['dark', 390],
  ] as const)('is shown in words before it is signed (%s, %i px)', async (colorScheme, width) => {
    const { page, dialog } = await openDialog({ colorScheme, width });
    await expect(dialog.textContent()).resolves.toMatch(
      /Signed and paid by.*in Test Wallet.*Network fee0\.000005 SOL.*Deposit.*0\.0037 SOL.*Good until/,
    );
    await expectNoAxeFindings(page);
    await expectNoSidewaysScroll(page);
    await screenshot(page, `transaction-${colorScheme}-${width}`);
    await sign(page);
    await dialog.getByText('It has taken effect.').waitFor();
    await expectNoAxeFindings(page);
    await screenshot(page, `transaction-confirmed-${colorScheme}-${width}`);
    await expectConfirmed(page);
  });

  it('is signed with the keyboard alone, and Escape leaves it', async () => {
    const { page, dialog } = await openDialog();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    const focused = () => page.evaluate('document.activeElement.textContent');
    await expect.poll(focused).toBe('Create the vault');
    await page.keyboard.press('Enter');
    await dialog.getByText('Create your vault, none of which').waitFor();
    await button(page, 'Sign and send').focus();
    await page.keyboard.press('Enter');
    await dialog.getByText('It has taken effect.').waitFor();
  });

  it('may get a fee for priority from the wallet', async () => {
    const { page, order } = await openDialog();
    const sent = watchSent(page);
    await order({ signing: 'adds-budget' });
    await sign(page);
    await expectConfirmed(page);
    expect(sent.length).toBeGreaterThan(0);
    for (const body of sent) expect(unitPricesIn(bytesIn(body))).toEqual([1_000n]);
  });
});

describe('a wallet', () => {
  it('that declines is asked again when the owner wants to', async () => {
    const { page, order } = await openDialog();
    await order({ signing: 'rejects' });
    await sign(page);
    await expectFailure(page, 'You declined in the wallet', 'Sign again');
    await screenshot(page, 'transaction-declined');
    await order({ signing: 'approves' });
    await button(page, 'Sign again').click();
    await expectConfirmed(page);
  });

  it('on another network is told to switch', async () => {
    const { page, order } = await openDialog();
    await order({ signing: 'other-network' });
    await sign(page);
    await expectFailure(page, 'The wallet is on another network', 'Sign again');
  });

  it.each(['other-bytes', 'other-account'] as const)(
    'that returns another signed transaction (%s) does not get it sent',
    async (signing) => {
      const { page, order, wallet } = await openDialog();
      const sent = watchSent(page);
      await order({ signing });
      await sign(page);
      await expectFailure(page, 'Your wallet returned another transaction', 'Prepare again');
      await screenshot(page, `transaction-${signing}`);
      expect(sent).toEqual([]);
      const client = clientOf(wallet);
      await client.signIn();
      await expect(client.wallet()).resolves.toMatchObject({ status: 'pending' });
      await order({ signing: 'approves' });
      await button(page, 'Prepare again').click();
      await sign(page);
      await expectConfirmed(page);
    },
  );
});

describe('the API', () => {
  it('cannot have anything signed that the owner did not ask for', async () => {
    const { page, dialog } = await openDialog();
    await button(page, 'Cancel').click();
    await dialog.waitFor({ state: 'detached' });
    await page.route('**/v1/wallet', async (route) => {
      const response = await route.fetch();
      const body: unknown = await response.json();
      if (typeof body !== 'object' || body === null || !('txBase64' in body)) {
        await route.fulfill({ response });
        return;
      }
      const bytes = Buffer.from(String(body.txBase64), 'base64');
      // One of the addresses.
      const place = 1 + 64 + 4 + 40;
      bytes.writeUInt8(bytes.readUInt8(place) ^ 1, place);
      await route.fulfill({ response, json: { ...body, txBase64: bytes.toString('base64') } });
    });
    await page.getByRole('button', { name: 'Create the vault' }).click();
    await dialog.getByText('This transaction is not what you asked for').waitFor();
    await expectNoAxeFindings(page);
    await screenshot(page, 'transaction-mismatch');
    const names = await dialog.getByRole('button').allTextContents();
    expect(names).toEqual(['Close']);
  });
});

describe('the network', () => {
  it('that does not answer leaves the outcome open, and looking again sends the same bytes', async () => {
    const { page, dialog, problems } = await openDialog();
    problems.expect(/ERR_FAILED|Failed to load/);
    const rpc = `${new URL(inject('browserWorld').urls.rpc).origin}/**`;
    const sent: string[] = [];
    await page.clock.install();
    await page.route(rpc, async (route) => {
      const body = route.request().postData() ?? '';
      if (body.includes('sendTransaction')) sent.push(body);
      await route.abort();
    });
    await sign(page);
    await expect.poll(() => sent.length).toBe(1);
    await page.clock.fastForward(40_000);
    await expectFailure(page, 'The outcome is not known yet', 'Look again');
    await expect(dialog.textContent()).resolves.not.toMatch(/failed/i);
    await screenshot(page, 'transaction-pending');
    await page.unroute(rpc);
    page.on('request', (request) => {
      const body = request.postData() ?? '';
      if (body.includes('sendTransaction')) sent.push(body);
    });
    await button(page, 'Look again').click();
    await expectConfirmed(page);
    expect(new Set(sent.map(bytesIn)).size).toBe(1);
  });

  it('refuses a transaction of an owner without SOL, and says so', async () => {
    const { page, dialog } = await openDialog({ lamports: 0 });
    await sign(page);
    await expectFailure(page, 'Your wallet has too little SOL for the fee', 'Prepare again');
    await screenshot(page, 'transaction-without-sol');
    await expect(dialog.textContent()).resolves.toContain('Nothing has changed.');
  });
});

const call = z.object({ params: z.tuple([z.string()], z.unknown()) });

/** The transaction that a call to the RPC node sends. */
const bytesIn = (body: string): string => call.parse(JSON.parse(body)).params[0];
