import { accruedOf, type ReserveState, valueOfCollateral } from '@agent-wallet/chain';
import type { walletYieldAnswer, yieldPositionAnswer } from '@agent-wallet/contract';
import type { Database } from '@agent-wallet/db';
import { isAppError } from '@agent-wallet/errors';
import { readDeployed, recordDeployed, sumYield, type YieldMoved } from '@agent-wallet/wallet';
import type { z } from 'zod';
import type { ChainAccess, WalletAddresses } from '../chain/chain-access.ts';

/**
 * `liquid` null: the chain could not be read, and `deployed` is its last known value. `accrued`
 * and `reserve` null: unknown.
 */
type Position = {
  readonly liquid: bigint | null;
  readonly deployed: bigint;
  readonly accrued: bigint | null;
  readonly reserve: ReserveState | null;
};

type Deps = { readonly db: Database; readonly chain: Pick<ChainAccess, 'readPosition'> };
type OfWallet = WalletAddresses & { readonly walletId: string };

/** A wallet's position as its agents read it; it does not fail with the chain. */
export async function describePosition(
  deps: Deps,
  wallet: OfWallet,
): Promise<z.input<typeof yieldPositionAnswer>> {
  return inDecimals(await readPosition(deps, wallet));
}

/** The same for the owner, with the life of the wallet in the reserve. */
export async function describeWalletYield(
  deps: Deps,
  wallet: OfWallet,
): Promise<z.input<typeof walletYieldAnswer>> {
  const position = await readPosition(deps, wallet);
  const moved = await sumYield(deps.db, wallet.vaultPda);
  return {
    ...inDecimals(position),
    deposited: moved.deposited.toString(),
    withdrawn: moved.withdrawn.toString(),
    earned: earnedOf(moved, position.reserve)?.toString() ?? null,
  };
}

/**
 * What the reserve has paid and what the rest is worth, less what it was given; negative after a
 * loss. The rest is the collateral of the same events and not what the account holds: each event
 * exchanges USDC for collateral at one rate, so an event that is not recorded yet leaves out its own
 * gain and nothing else. Null while the rest cannot be valued, and once some was taken out in kind.
 */
function earnedOf(moved: YieldMoved, reserve: ReserveState | null): bigint | null {
  if (moved.isSweptInKind) return null;
  const paid = moved.withdrawn - moved.deposited;
  if (moved.collateral <= 0n) return paid;
  return reserve === null ? null : paid + valueOfCollateral(reserve, moved.collateral);
}

const inDecimals = ({ liquid, deployed, accrued }: Position) => ({
  liquid: liquid?.toString() ?? null,
  deployed: deployed.toString(),
  accrued: accrued?.toString() ?? null,
  total_balance: ((liquid ?? 0n) + deployed).toString(),
});

async function readPosition({ db, chain }: Deps, wallet: OfWallet): Promise<Position> {
  try {
    const { liquid, vault, yield: held } = await chain.readPosition(wallet, []);
    const deployed = vault?.deployedAmount ?? 0n;
    await recordDeployed(db, wallet.walletId, deployed);
    const accrued = held === null ? null : accruedOf(held.reserve, held.collateral, deployed);
    return { liquid, deployed, accrued, reserve: held?.reserve ?? null };
  } catch (error) {
    if (!isAppError(error, 'RPC_UNAVAILABLE')) throw error;
    const deployed = await readDeployed(db, wallet.walletId);
    return { liquid: null, deployed, accrued: null, reserve: null };
  }
}
