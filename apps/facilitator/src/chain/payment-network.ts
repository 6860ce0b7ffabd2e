import { AppError } from '@agent-wallet/errors';
import type { Network } from '@x402/core/types';
import { SOLANA_DEVNET_CAIP2, SOLANA_MAINNET_CAIP2, SOLANA_TESTNET_CAIP2 } from '@x402/svm';

/** Characters of a genesis hash in a CAIP-2 id. */
const ID_CHARS = 32;

/**
 * The id of a chain in x402. A chain other than the main network and testnet counts as devnet, as it
 * does for the API: the reference implementation knows three ids. Throws SERVER_MISCONFIGURED on
 * mainnet without `allowMainnet`.
 */
export function paymentNetworkOf(
  genesisHash: string,
  { allowMainnet }: { readonly allowMainnet: boolean },
): Network {
  switch (`solana:${genesisHash.slice(0, ID_CHARS)}`) {
    case SOLANA_MAINNET_CAIP2:
      if (allowMainnet) return SOLANA_MAINNET_CAIP2;
      throw new AppError('SERVER_MISCONFIGURED', {
        reason: 'the RPC endpoint is on mainnet; set ALLOW_MAINNET=true to use it',
      });
    case SOLANA_TESTNET_CAIP2:
      return SOLANA_TESTNET_CAIP2;
    default:
      return SOLANA_DEVNET_CAIP2;
  }
}
