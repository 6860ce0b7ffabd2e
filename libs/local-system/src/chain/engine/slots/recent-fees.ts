/** What recent blocks took per compute unit, as a node answers getRecentPrioritizationFees. */

/** Nodes remember the prices of this many slots. */
export const REMEMBERED_SLOTS = 150;

/** `price` in micro-lamports per compute unit: the least that landed in that slot. */
export type RecentFee = { readonly slot: number; readonly price: bigint };

type SlotPrices = { least: bigint; readonly byAccount: Map<string, bigint> };

export type RecentFees = {
  add(slot: number, price: bigint, writable: readonly string[]): void;
  /** Per slot the least price overall, or of these accounts where that is higher; oldest first. */
  read(writable: readonly string[]): readonly RecentFee[];
  prune(newestSlot: number): void;
};

export function createRecentFees(): RecentFees {
  const bySlot = new Map<number, SlotPrices>();
  return {
    add(slot, price, writable) {
      let prices = bySlot.get(slot);
      if (prices === undefined) bySlot.set(slot, (prices = { least: price, byAccount: new Map() }));
      if (price < prices.least) prices.least = price;
      for (const address of writable) {
        const known = prices.byAccount.get(address);
        if (known === undefined || price < known) prices.byAccount.set(address, price);
      }
    },
    read: (writable) =>
      [...bySlot].map(([slot, { least, byAccount }]) => {
        let price = least;
        for (const address of writable) {
          const ofAccount = byAccount.get(address) ?? 0n;
          if (ofAccount > price) price = ofAccount;
        }
        return { slot, price };
      }),
    prune(newestSlot) {
      for (const slot of bySlot.keys()) {
        if (slot > newestSlot - REMEMBERED_SLOTS) return;
        bySlot.delete(slot);
      }
    },
  };
}
