import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, inject } from 'vitest';
import type { Orders } from './test-wallet/orders.ts';
import { createTestWallet, type TestWallet } from './test-wallet/test-wallet.ts';
import { type Problems, watchProblems } from './watch-problems.ts';

/** How to open a page. */
export type OpenOptions = {
  /** The wallet in the browser, by default a new one that approves; null: a browser without one. */
  readonly wallet?: TestWallet | null;
  /** A path of the dashboard; `/` by default. */
  readonly path?: string;
  readonly colorScheme?: 'light' | 'dark';
  /** 1280 px by default; a phone has 390. */
  readonly width?: number;
};

export type OpenedPage = {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly wallet: TestWallet;
  /** Changes what the wallet does from now on, also after a reload. */
  readonly order: (change: Partial<Orders>) => Promise<void>;
  /** Console errors, refused policies and uncaught exceptions that are expected: the test goes on. */
  readonly problems: Problems;
};

const HEIGHT = 900;
/** Narrower windows are those of phones, whose scroll bars take no place. */
const PHONE_BELOW = 600;
const TIMEOUT_MS = 30_000;

/**
 * Opens pages of the dashboard in a browser profile of their own, closed after each test. A test
 * fails if its pages logged an error, broke the Content-Security-Policy or threw.
 */
export function useBrowser(): {
  readonly openPage: (options?: OpenOptions) => Promise<OpenedPage>;
} {
  let browser: Browser | undefined;
  const contexts: BrowserContext[] = [];
  const watched: Problems[] = [];
  beforeAll(async () => {
    browser = await chromium.connect(inject('browserWorld').browserUrl);
  });
  afterEach(async () => {
    const found = watched.splice(0).flatMap((problems) => problems.unexpected());
    for (const context of contexts.splice(0)) {
      // A request that a test changes may still be on its way.
      await context.unrouteAll({ behavior: 'ignoreErrors' });
      await context.close();
    }
    expect(found).toEqual([]);
  });
  afterAll(() => browser?.close());

  async function openPage(options: OpenOptions = {}): Promise<OpenedPage> {
    if (browser === undefined) throw new Error('openPage before the tests of this file');
    const { urls, walletScript } = inject('browserWorld');
    const {
      path = '/',
      colorScheme = 'light',
      width = 1_280,
      wallet = createTestWallet(),
    } = options;
    const context = await browser.newContext({
      baseURL: urls.dashboard,
      colorScheme,
      viewport: { width, height: HEIGHT },
      isMobile: width < PHONE_BELOW,
      permissions: ['clipboard-read', 'clipboard-write'],
      reducedMotion: 'reduce',
    });
    contexts.push(context);
    context.setDefaultTimeout(TIMEOUT_MS);
    if (wallet !== null) {
      const orders = JSON.stringify(wallet.orders);
      // Other frames, such as those of axe-core, have no storage.
      await context.addInitScript(
        `if (location.protocol.startsWith('http')) {
          globalThis.testWalletOrders = ${orders};
          ${walletScript}
        }`,
      );
    }
    const page = await context.newPage();
    const problems = watchProblems(context);
    watched.push(problems);
    await page.goto(path);
    let current = wallet?.orders;
    return {
      page,
      context,
      wallet: wallet ?? createTestWallet(),
      problems,
      order: async (change) => {
        if (current === undefined) throw new Error('this page has no wallet');
        current = { ...current, ...change };
        await page.evaluate((orders) => globalThis.testWallet?.obey(orders), current);
      },
    };
  }
  return { openPage };
}
