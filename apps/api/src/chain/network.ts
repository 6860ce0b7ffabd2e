import type { KeyPrefix } from '../auth/api-key.ts';

/** The name of a chain in sign-in texts and responses, and the prefix of its agents' keys. */
export type Network = { readonly cluster: 'devnet' | 'mainnet'; readonly keyPrefix: KeyPrefix };

const MAINNET_GENESIS_HASH = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';

/** Any chain other than the main network is a test network. */
export function networkOf(genesisHash: string): Network {
  return genesisHash === MAINNET_GENESIS_HASH
    ? { cluster: 'mainnet', keyPrefix: 'svc_prod_' }
    : { cluster: 'devnet', keyPrefix: 'svc_dev_' };
}
