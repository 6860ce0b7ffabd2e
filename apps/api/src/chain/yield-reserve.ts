import { type Reserve, reserveOnChain } from '@agent-wallet/chain';
import { AppError } from '@agent-wallet/errors';
import type { ChainAccess } from './chain-access.ts';

/**
 * The yield reserve of this chain; null while yield is switched off. Throws SERVER_MISCONFIGURED
 * when it is on and the program has no reserve for this chain.
 */
export function yieldReserveOf(isEnabled: boolean, genesisHash: string): Reserve | null {
  if (!isEnabled) return null;
  const reserve = reserveOnChain(genesisHash);
  if (reserve !== null) return reserve;
  const reason = 'YIELD_ENABLED is true, but this chain has no yield reserve';
  throw new AppError('SERVER_MISCONFIGURED', { reason });
}

/**
 * The reserve that the owner's transaction prepares the vault for; null while nothing may be
 * deployed, which saves the owner the rent.
 */
export function reserveToPrepare(
  { yieldReserve }: Pick<ChainAccess, 'yieldReserve'>,
  maxDeployedFractionBp: number,
): Reserve | null {
  return maxDeployedFractionBp > 0 ? yieldReserve : null;
}
