/** Slots whose times are remembered: more than an hour and a half of slots of 400 ms. */
const REMEMBERED_SLOTS = 16_384;

export type BlockTimes = {
  add(slot: number, unixSeconds: number): void;
  /** Null when the slot is too old, or has not begun. */
  at(slot: number): number | null;
};

/** The times of the newest slots in a ring of fixed size. */
export function createBlockTimes(): BlockTimes {
  const times = new Float64Array(REMEMBERED_SLOTS);
  const slots = new Float64Array(REMEMBERED_SLOTS).fill(-1);
  return {
    add(slot, unixSeconds) {
      slots[slot % REMEMBERED_SLOTS] = slot;
      times[slot % REMEMBERED_SLOTS] = unixSeconds;
    },
    at: (slot) =>
      slots[slot % REMEMBERED_SLOTS] === slot ? (times[slot % REMEMBERED_SLOTS] ?? null) : null,
  };
}
