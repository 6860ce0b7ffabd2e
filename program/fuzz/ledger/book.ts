import type { Args } from '../step.ts';
import type { Id, Universe } from '../world/universe.ts';

/** One life of a vault, from its creation until it is closed. */
export type Wallet = {
  readonly owner: Id;
  paused: boolean;
  maxDeployedFractionBp: number;
  /** False for a vault of the first layout, which did not count its sessions. */
  readonly countsSessions: boolean;
};

/** One life of a session, from its creation to its revocation. */
export type Life = {
  readonly wallet: Wallet;
  readonly vault: Id;
  readonly key: Id;
  readonly index: bigint;
  limits: Pick<Args, 'max_per_tx' | 'daily_cap' | 'expiry' | 'allowed_instructions'>;
  recipients: readonly Id[];
  readonly spends: { readonly clock: bigint; readonly latest: bigint; readonly amount: bigint }[];
};

/** What the owners signed and the sessions spent. */
export type Book = {
  readonly universe: Universe;
  /** By vault; a closed one is gone. */
  readonly wallets: Map<Id, Wallet>;
  /** By session; a revoked one is gone. */
  readonly lives: Map<Id, Life>;
  /** The highest index that a session or a closing had at each vault's address, in all its lives. */
  readonly highestIndexes: Map<Id, bigint>;
  /** Session, index and sequence number of every spend, in all lives. */
  readonly spent: Set<string>;
};
