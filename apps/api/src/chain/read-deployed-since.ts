import { setTimeout as delay } from 'node:timers/promises';
import { isAppError } from '@agent-wallet/errors';
import type { ChainAccess, WalletAddresses } from './chain-access.ts';

const LOOKS = 5;
/** About one slot. */
const NEXT_LOOK_MS = 400;

/**
 * The principal in the yield reserve at `slot` or later, base units; null when no read reached that
 * slot in time. It is an optional field of a response, so an unavailable chain is no failure.
 */
export async function readDeployedSince(
  chain: Pick<ChainAccess, 'readWallet'>,
  wallet: WalletAddresses,
  slot: bigint | null,
): Promise<bigint | null> {
  for (let look = 1; look <= LOOKS; look += 1) {
    try {
      const facts = await chain.readWallet(wallet, []);
      if (slot === null || facts.slot >= slot) return facts.vault?.deployedAmount ?? 0n;
    } catch (error) {
      if (!isAppError(error, 'RPC_UNAVAILABLE')) throw error;
    }
    if (look < LOOKS) await delay(NEXT_LOOK_MS);
  }
  return null;
}
