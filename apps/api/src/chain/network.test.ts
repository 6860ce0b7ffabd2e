import { expect, test } from 'vitest';
import { networkOf } from './network.ts';

test.each([
  ['mainnet', '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d', 'mainnet', 'svc_prod_'],
  ['testnet', '4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY', 'devnet', 'svc_test_'],
  ['devnet', 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG', 'devnet', 'svc_dev_'],
  ['a local chain', 'AKnL4NNf3DGWZJS6cPknBuEGnVsV4A4m5tgebLHaRSZ9', 'devnet', 'svc_dev_'],
] as const)('the genesis hash of %s decides name and key prefix', (_, hash, cluster, keyPrefix) => {
  expect(networkOf(hash)).toEqual({ cluster, keyPrefix });
});
