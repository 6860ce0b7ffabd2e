/** The yield reserve that a build of the program was compiled for. */

/** Kamino Lend's accounts of one reserve, all base58. */
export type Reserve = {
  readonly programId: string;
  readonly reserve: string;
  readonly lendingMarket: string;
  readonly lendingMarketAuthority: string;
  /** The reserve's own USDC. */
  readonly liquiditySupply: string;
  readonly collateralMint: string;
};
