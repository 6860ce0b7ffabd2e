/** The x402 name of Solana's devnet, which the embedded chain uses too. */
export const TEST_NETWORK = 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1' as const;
