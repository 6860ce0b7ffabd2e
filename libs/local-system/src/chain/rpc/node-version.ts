/** The release of a Solana node whose answers the methods give. */
export const NODE_VERSION = '3.0.0';
