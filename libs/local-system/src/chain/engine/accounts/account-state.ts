/** An account as the chain holds it at one moment; never changed afterwards. */
export type AccountState = {
  readonly lamports: bigint;
  readonly data: Uint8Array;
  /** Base58. */
  readonly owner: string;
  readonly executable: boolean;
  readonly rentEpoch: bigint;
};

/** A state of a bank, from the newest to the one that no fork can remove. */
export type Commitment = 'processed' | 'confirmed' | 'finalized';
