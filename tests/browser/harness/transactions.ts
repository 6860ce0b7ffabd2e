import type { Page } from 'playwright-core';

/** Signs and sends the transaction whose dialog is open, and closes it once it is confirmed. */
export async function confirmTransaction(page: Page, doneLabel = 'Done'): Promise<void> {
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Sign and send' }).click();
  const done = dialog.getByRole('button', { name: doneLabel });
  await done.click();
  await done.waitFor({ state: 'detached' });
}
