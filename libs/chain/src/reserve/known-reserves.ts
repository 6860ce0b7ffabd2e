/** The reserves that program builds use, by chain. */

import type { Reserve } from './reserve.ts';

const DEVNET_GENESIS_HASH = 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxkrZBG';
const MAINNET_GENESIS_HASH = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';

/** Kamino Lend's reserve for USDC on devnet. */
const DEVNET_RESERVE: Reserve = {
  programId: 'KLend2g3cP87fffoy8q1mQqGKjrxjC8boSyAYavgmjD',
  reserve: 'HRwMj8uuoGVWCanKzKvpTWN5ZvXjtjKGxcFbn2qTPKMW',
  lendingMarket: '6aaNTBEmwdN19AAdTwbNrWyUo6iEyiLguxCTePEzSqoH',
  lendingMarketAuthority: '7Aoc3MHQkYSB5y3g3ipyFKWF2TBsYdvqNWHbQ2btWXJt',
  liquiditySupply: '6icVFmuKEsH5dzDwTSrxzrnJ14N27gDKRc2XAxPtB4ep',
  collateralMint: '6FY2rwh5wWrtSveAG9t9ANc2YsrChNasVSEpMQubJcXd',
};

/**
 * The sandbox reserve of local chains, `program/reserve-sandbox`: its addresses derive from its
 * program.
 */
export const SANDBOX_RESERVE: Reserve = {
  programId: 'CQZrTbkk1MwyhHtTG1wqJr8YrVk7oHK8h3E2C3tKgiDD',
  reserve: 'A83aazcpy4f9qrfLbAE4dywEvW2BTx3mVe4QQenKnGBw',
  lendingMarket: 'BKhLABD9EJcxMSNzXzXTVKbahNjP8igE6MaM6kN1Xpzn',
  lendingMarketAuthority: '7HYNJsz555WTgaKSkEcBWNb92de48tAaLw1ysNFnemQB',
  liquiditySupply: 'BqiqRcrcHnrKhsn3Paxmb9caU9eWrh9Q2nZTCiktRmLV',
  collateralMint: 'EVasLwbN5itHxsJGYBksxKunwp357TMPhFX1fEWNMKnS',
};

/** Programs with Kamino Lend's error numbers. */
export const RESERVE_PROGRAMS: ReadonlySet<string> = new Set([
  DEVNET_RESERVE.programId,
  SANDBOX_RESERVE.programId,
]);

/**
 * The reserve that the program uses on the chain with this genesis hash: Kamino Lend's on devnet,
 * none on the main network, the sandbox reserve on every other chain.
 */
export function reserveOnChain(genesisHash: string): Reserve | null {
  switch (genesisHash) {
    case DEVNET_GENESIS_HASH:
      return DEVNET_RESERVE;
    case MAINNET_GENESIS_HASH:
      return null;
    default:
      return SANDBOX_RESERVE;
  }
}
