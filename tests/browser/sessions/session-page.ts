import type { Locator, Page } from 'playwright-core';

/** Fills in the form of a new session. */
export async function fillLimits(
  page: Page,
  limits: {
    readonly perPayment: string;
    readonly daily: string;
    readonly recipients: readonly string[];
  },
): Promise<void> {
  await page.getByLabel('At most per payment').fill(limits.perPayment);
  await page.getByLabel('At most in 24 hours').fill(limits.daily);
  await page.getByRole('textbox', { name: 'Recipients' }).fill(limits.recipients.join('\n'));
}

/** A card of a view, by its heading. */
export const region = (page: Page, name: string): Locator =>
  page.getByRole('region', { name, exact: true });

/** Goes to the list of sessions. */
export async function openSessions(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Sessions', exact: true }).click();
  await page.getByRole('heading', { name: 'Sessions', exact: true }).waitFor();
}

/** The API key that the page shows. */
export async function shownKey(page: Page): Promise<string> {
  const text = await page.getByText(/^svc_dev_\S{20,}$/).innerText();
  return text.trim();
}
