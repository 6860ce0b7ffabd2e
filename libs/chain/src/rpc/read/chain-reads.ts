/** Replies of the chain as plain values: base58 strings, bigints for slots and amounts. */

export type Commitment = 'confirmed' | 'finalized';

export type LatestBlockhash = {
  readonly blockhash: string;
  readonly lastValidBlockHeight: bigint;
  readonly slot: bigint;
};

/** A block height and a slot at which the chain had reached at least that height. */
export type HeightAndSlot = { readonly blockHeight: bigint; readonly slot: bigint };

export type AccountSnapshot = {
  readonly address: string;
  readonly owner: string;
  readonly lamports: bigint;
  readonly data: Uint8Array;
};

/** `accounts` in the order requested; null means that the account does not exist at `slot`. */
export type AccountsAtSlot = {
  readonly slot: bigint;
  readonly accounts: readonly (AccountSnapshot | null)[];
};

/** `slot` is where the transaction landed; `err` null when it succeeded. */
export type SignatureStatus = {
  readonly slot: bigint;
  readonly err: unknown;
  readonly confirmationStatus: 'processed' | Commitment;
};

/** The node's slot when it replied. */
export type StatusesAtSlot = {
  readonly slot: bigint;
  readonly statuses: readonly (SignatureStatus | null)[];
};

export type SignatureRecord = {
  readonly signature: string;
  readonly slot: bigint;
  readonly err: unknown;
};

export type InnerInstruction = {
  readonly programId: string;
  readonly accounts: readonly string[];
  readonly data: Uint8Array;
};

/** `index` of the top-level instruction that made the calls. */
type InnerInstructions = {
  readonly index: number;
  readonly instructions: readonly InnerInstruction[];
};

/** The change of one token account by a transaction, in base units; 0 where it did not exist. */
export type TokenChange = {
  readonly account: string;
  readonly mint: string;
  readonly before: bigint;
  readonly after: bigint;
};

export type ChainTransaction = {
  readonly slot: bigint;
  /** Unix seconds, null when the node does not know. */
  readonly blockTime: bigint | null;
  readonly err: unknown;
  readonly logs: readonly string[];
  /** The fee payer's signature first, then the other signers' in the order of the message. */
  readonly signatures: readonly string[];
  readonly accountKeys: readonly string[];
  /** Program of each top-level instruction, in order. */
  readonly instructionPrograms: readonly string[];
  readonly innerInstructions: readonly InnerInstructions[];
  /** All token accounts that it could have changed; null when the node does not report them. */
  readonly tokenChanges: readonly TokenChange[] | null;
};

export type SimulationResult = {
  readonly slot: bigint;
  readonly err: unknown;
  readonly logs: readonly string[];
  readonly unitsConsumed: bigint | null;
};
