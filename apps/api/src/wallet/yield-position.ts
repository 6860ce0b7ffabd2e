import { accruedOf } from '@agent-wallet/chain';
import type { yieldPositionAnswer } from '@agent-wallet/contract';
import type { Database } from '@agent-wallet/db';
import { isAppError } from '@agent-wallet/errors';
import { readDeployed, recordDeployed } from '@agent-wallet/wallet';
import type { z } from 'zod';
import type { ChainAccess, WalletAddresses } from '../chain/chain-access.ts';

/**
 * `liquid` null: the chain could not be read, and `deployed` is its last known value. `accrued`
 * null: unknown.
 */
type Position = {
  readonly liquid: bigint | null;
  readonly deployed: bigint;
  readonly accrued: bigint | null;
};

type Deps = { readonly db: Database; readonly chain: Pick<ChainAccess, 'readPosition'> };

/** A wallet's position as agents and its owner read it; it does not fail with the chain. */
export async function describePosition(
  deps: Deps,
  wallet: WalletAddresses & { readonly walletId: string },
): Promise<z.input<typeof yieldPositionAnswer>> {
  const { liquid, deployed, accrued } = await readPosition(deps, wallet);
  return {
    liquid: liquid?.toString() ?? null,
    deployed: deployed.toString(),
    accrued: accrued?.toString() ?? null,
    total_balance: ((liquid ?? 0n) + deployed).toString(),
  };
}

async function readPosition(
  { db, chain }: Deps,
  wallet: WalletAddresses & { readonly walletId: string },
): Promise<Position> {
  try {
    const { liquid, vault, yield: held } = await chain.readPosition(wallet, []);
    const deployed = vault?.deployedAmount ?? 0n;
    await recordDeployed(db, wallet.walletId, deployed);
    const accrued = held === null ? null : accruedOf(held.reserve, held.collateral, deployed);
    return { liquid, deployed, accrued };
  } catch (error) {
    if (!isAppError(error, 'RPC_UNAVAILABLE')) throw error;
    const deployed = await readDeployed(db, wallet.walletId);
    return { liquid: null, deployed, accrued: null };
  }
}
