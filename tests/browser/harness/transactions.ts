import type { Page } from 'playwright-core';

/** Signs and sends the transaction whose dialog is open, and closes it once it is confirmed. */
export async function confirmTransaction(page: Page): Promise<void> {
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Sign and send' }).click();
  await dialog.getByRole('button', { name: 'Done' }).click();
  await dialog.waitFor({ state: 'detached' });
}
