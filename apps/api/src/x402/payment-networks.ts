/** Names of the chain in challenges: CAIP-2 ids (the genesis hash's first 32 characters). */

const NETWORKS = {
  devnet: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1',
  mainnet: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
} as const;

export type NetworkId = (typeof NETWORKS)[keyof typeof NETWORKS];

/** Names of version 1, and the short names that some services of version 2 still use. */
const OTHER_NAMES: Readonly<Record<string, NetworkId>> = {
  'solana-devnet': NETWORKS.devnet,
  'solana:devnet': NETWORKS.devnet,
  solana: NETWORKS.mainnet,
  'solana-mainnet': NETWORKS.mainnet,
  'solana-mainnet-beta': NETWORKS.mainnet,
  'solana:mainnet': NETWORKS.mainnet,
  'solana:mainnet-beta': NETWORKS.mainnet,
};

/** The id of a cluster as challenges call it. */
export function networkIdOf(cluster: keyof typeof NETWORKS): NetworkId {
  return NETWORKS[cluster];
}

/** The id for a network name in a challenge; null for an unknown network. */
export function normaliseNetwork(name: unknown): NetworkId | null {
  if (typeof name !== 'string') return null;
  const id = Object.values(NETWORKS).find((one) => one === name);
  if (id !== undefined) return id;
  return Object.hasOwn(OTHER_NAMES, name) ? (OTHER_NAMES[name] ?? null) : null;
}
