import { type Reserve, reserveOnChain } from '@agent-wallet/chain';
import { AppError } from '@agent-wallet/errors';
import type { ChainAccess } from './chain-access.ts';

/**
 * Where yield goes on this chain; null while it is switched off. Throws SERVER_MISCONFIGURED when
 * it is on and the chain has no reserve that the program knows.
 */
export function yieldReserveOf(isEnabled: boolean, genesisHash: string): Reserve | null {
  if (!isEnabled) return null;
  const reserve = reserveOnChain(genesisHash);
  if (reserve !== null) return reserve;
  const reason = 'YIELD_ENABLED is true, and there is no yield reserve for this chain';
  throw new AppError('SERVER_MISCONFIGURED', { reason });
}

/**
 * The reserve that a vault is made ready for by the transaction that lets it deploy so much; null
 * while nothing may be deployed, which spares the owner the rent.
 */
export function reserveToPrepare(
  { yieldReserve }: Pick<ChainAccess, 'yieldReserve'>,
  maxDeployedFractionBp: number,
): Reserve | null {
  return maxDeployedFractionBp > 0 ? yieldReserve : null;
}
