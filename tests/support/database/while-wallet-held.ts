import type { Database } from '@agent-wallet/db';
import { lockWallet } from '@agent-wallet/wallet';
import { createLatch } from '../latch.ts';

/** Runs `change` while another SQL transaction holds the row of a wallet. Returns its result. */
export async function whileWalletHeld<Result>(
  db: Database,
  { walletId }: { readonly walletId: string },
  change: () => Promise<Result>,
): Promise<Result> {
  const [held, changed] = [createLatch('the row of the wallet'), createLatch('the change')];
  const holding = db.transaction(async (tx) => {
    await lockWallet(tx, walletId);
    held.open();
    await changed.wait();
  });
  try {
    await held.wait();
    return await change();
  } finally {
    changed.open();
    await holding;
  }
}
