import { MAINNET_GENESIS_HASH } from '@agent-wallet/chain';
import type { KeyPrefix } from '../auth/api-key.ts';

/** The name of a chain in sign-in texts and responses, and the prefix of its agents' keys. */
export type Network = { readonly cluster: 'devnet' | 'mainnet'; readonly keyPrefix: KeyPrefix };

/** How the genesis hash of the cluster begins that Solana calls testnet: its CAIP-2 name. */
const TESTNET = '4uhcVJyU9pJkvQyS88uRDiswHXSCkY3z';

/**
 * Any chain other than the main network is a test network. Keys of devnet and of local chains begin
 * with `svc_dev_`, as the interface says; those of the cluster testnet have a prefix of their own.
 */
export function networkOf(genesisHash: string): Network {
  if (genesisHash === MAINNET_GENESIS_HASH) return { cluster: 'mainnet', keyPrefix: 'svc_prod_' };
  const isTestnet = genesisHash.startsWith(TESTNET);
  return { cluster: 'devnet', keyPrefix: isTestnet ? 'svc_test_' : 'svc_dev_' };
}
