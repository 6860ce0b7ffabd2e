/** Slots whose times are remembered: more than an hour and a half of slots of 400 ms. */
const REMEMBERED_SLOTS = 16_384;

/** Slots and their times, at the same indices. */
export type SavedTimes = { readonly slots: Float64Array; readonly times: Float64Array };

export type BlockTimes = {
  add(slot: number, unixSeconds: number): void;
  save(): SavedTimes;
  /** Null when the slot is too old, or has not begun. */
  at(slot: number): number | null;
};

/** The times of the newest slots in a ring of fixed size. */
export function createBlockTimes(saved?: SavedTimes): BlockTimes {
  const times = saved?.times ?? new Float64Array(REMEMBERED_SLOTS);
  const slots = saved?.slots ?? new Float64Array(REMEMBERED_SLOTS).fill(-1);
  return {
    save: () => ({ slots, times }),
    add(slot, unixSeconds) {
      slots[slot % REMEMBERED_SLOTS] = slot;
      times[slot % REMEMBERED_SLOTS] = unixSeconds;
    },
    at: (slot) =>
      slots[slot % REMEMBERED_SLOTS] === slot ? (times[slot % REMEMBERED_SLOTS] ?? null) : null,
  };
}
