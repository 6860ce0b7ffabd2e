import type { Page } from 'playwright-core';

/** Signs and sends the transaction whose dialog is open, and waits until the dialog has closed. */
export async function confirmTransaction(page: Page): Promise<void> {
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Sign and send' }).click();
  await dialog.waitFor({ state: 'detached' });
}
