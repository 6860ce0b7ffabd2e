import { AxeBuilder } from '@axe-core/playwright';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

const FOLDER = fileURLToPath(new URL('../../../artifacts/screenshots/', import.meta.url));

/** Fails with every finding of axe-core in the page as it is now. */
export async function expectNoAxeFindings(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  const found = violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary ?? ''}`),
  );
  expect(found).toEqual([]);
}

/** Fails if the element does not appear in time. */
export const expectShown = (element: Locator): Promise<void> => element.waitFor();

/** Fails if the page is wider than its window. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const root = 'document.documentElement';
  // Below 0 where the place of a scroll bar is kept free.
  const surplus = await page.evaluate(`${root}.scrollWidth - ${root}.clientWidth`);
  expect(surplus).toBeLessThanOrEqual(0);
}

/** Writes `artifacts/screenshots/<name>.png` of the whole page. */
export async function screenshot(page: Page, name: string): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  await page.screenshot({ path: join(FOLDER, `${name}.png`), fullPage: true });
}
