import type { KeyPrefix } from '../auth/api-key.ts';

/** What a chain is called in sign-in texts and answers, and how its agents' keys begin. */
export type Network = { readonly cluster: 'devnet' | 'mainnet'; readonly keyPrefix: KeyPrefix };

const MAINNET_GENESIS_HASH = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';

/** Every chain but the main network counts as the test network. */
export function networkOf(genesisHash: string): Network {
  return genesisHash === MAINNET_GENESIS_HASH
    ? { cluster: 'mainnet', keyPrefix: 'svc_prod_' }
    : { cluster: 'devnet', keyPrefix: 'svc_dev_' };
}
