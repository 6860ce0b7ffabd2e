/** What only tests do to a chain; nothing of it is on a port. Slots are stopped by not beginning them. */

import type { AccountVersions } from './accounts/account-versions.ts';
import type { Blockhashes } from './slots/blockhashes.ts';
import type { History } from './history/history.ts';
import type { WireTransaction } from './transactions/wire-transaction.ts';

export type ChainControls = {
  /**
   * Lets a fork take the newest slots: what landed in them is undone and can land again. The slots
   * get other blockhashes. Throws RangeError for slots that are final.
   */
  forkOut(slots: number): void;
  /** From now on, drops what this selects: its sender gets the signature, and it never lands. */
  dropSends(isDropped: Selects): void;
  /** Forgets every status and every history, as a node that was replaced. */
  forgetHistory(): void;
};

type Selects = (transaction: WireTransaction) => boolean;

const dropsNothing: Selects = () => false;

type Io = {
  readonly versions: Pick<AccountVersions, 'revertTo'>;
  readonly blockhashes: Pick<Blockhashes, 'revertTo' | 'add'>;
  readonly history: Pick<History, 'revertTo' | 'prune'>;
  readonly newestSlot: () => number;
  readonly finalizedSlot: () => number;
  /** Called with the newest slot that stays. */
  readonly onForked: (slot: number) => void;
};

export function createChainControls(io: Io): ChainControls & { readonly isDropped: Selects } {
  let isDropped = dropsNothing;
  return {
    isDropped: (transaction) => isDropped(transaction),
    forkOut(slots) {
      const newest = io.newestSlot();
      const stays = newest - slots;
      if (stays < io.finalizedSlot()) throw new RangeError(`slot ${stays + 1} is final`);
      io.versions.revertTo(stays);
      io.history.revertTo(stays);
      io.blockhashes.revertTo(stays);
      for (let slot = stays + 1; slot <= newest; slot += 1) io.blockhashes.add(slot, slot);
      io.onForked(stays);
    },
    dropSends: (selects) => {
      isDropped = selects;
    },
    forgetHistory: () => io.history.prune(Number.POSITIVE_INFINITY),
  };
}
