/** The settings of every call that a tool makes. */
export type CallSettings = {
  /** Of one call of the SDK with its retries. */
  readonly timeoutMs: number;
};

/** The settings of a tool that moves money. */
export type SpendLimit = CallSettings & {
  /** The most base units of one call; null: only the owner's limits apply. */
  readonly maxAmount: bigint | null;
};

/** Time limit for reading a spend after it was paid, in addition to that of the payment. */
export const READ_BACK_MS = 5_000;
