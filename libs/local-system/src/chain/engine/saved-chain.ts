import type { SavedVersions } from './accounts/account-versions.ts';
import type { SavedTimes } from './slots/block-times.ts';
import type { RecentBlockhash } from './slots/blockhashes.ts';
import type { PackedLanding } from './history/history.ts';

/** A whole chain as plain values, which share their memory with the chain that they come from. */
export type SavedChain = {
  readonly genesisHash: string;
  readonly treasurySecret: Uint8Array;
  readonly newestSlot: number;
  /** Unix seconds. */
  readonly blockTime: number;
  /** Landings since the start. */
  readonly landings: number;
  /** The machine, in its own format. */
  readonly machine: Uint8Array;
  readonly versions: SavedVersions;
  readonly blockhashes: readonly RecentBlockhash[];
  readonly blockTimes: SavedTimes;
  /** Oldest first. */
  readonly history: readonly PackedLanding[];
};
