/** The release of the Solana node that the methods imitate. */
export const NODE_VERSION = '3.0.0';
