import { type Reserve, reserveOnChain } from '@agent-wallet/chain';
import { AppError } from '@agent-wallet/errors';

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
