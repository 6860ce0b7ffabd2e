import { type Rpc, tokenAmountOf } from '@agent-wallet/chain';
import type { Database } from '@agent-wallet/db';
import { listWatchedBalances, recordBalance } from '@agent-wallet/webhook';

/** Accounts of one RPC call. */
const BALANCES_AT_ONCE = 100;

/**
 * Compares the liquid balances that webhooks wait for with their thresholds, one RPC call for each
 * hundred. Throws RPC_UNAVAILABLE: a balance that cannot be read is not low.
 */
export function createWatchBalances(deps: {
  readonly db: Database;
  readonly rpc: Pick<Rpc, 'accounts'>;
}): () => Promise<void> {
  const { db, rpc } = deps;
  return async () => {
    let afterId: string | null = null;
    for (;;) {
      const watched = await listWatchedBalances(db, { afterId, limit: BALANCES_AT_ONCE });
      if (watched.length === 0) return;
      const addresses = [...new Set(watched.map(({ vaultUsdcAta }) => vaultUsdcAta))];
      const { accounts } = await rpc.accounts(addresses, { commitment: 'confirmed' });
      const liquid = new Map(addresses.map((one, i) => [one, tokenAmountOf(accounts[i] ?? null)]));
      for (const one of watched) await recordBalance(db, one, liquid.get(one.vaultUsdcAta) ?? 0n);
      if (watched.length < BALANCES_AT_ONCE) return;
      afterId = watched.at(-1)?.webhookId ?? null;
    }
  };
}
