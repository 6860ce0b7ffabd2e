import type { Row } from './row.ts';

const LEAST_DRIVE_MS = 10_000;
/** For rest and checks of the last row. */
const END_MS = 20_000;
/** Assumed wait of a place for a world to be ready, before the first measurement. */
const FIRST_IDLE_MS = 15_000;

/** The time of one row under load. */
export type Turn = { readonly driveMs: number; readonly end: () => void };

/**
 * Decides which row begins next and how long it is under load. More worlds are up than are under
 * load, because one starts or comes to rest while others are driven.
 */
export type Schedule = {
  /** Returns the row to begin next, or null when none is left. */
  next(): Row | null;
  /** Waits for a place and returns the row's share of the remaining time. */
  takeTurn(row: Row): Promise<Turn>;
};

/** Rows with a long rest or a large share begin first. */
export function createSchedule(
  rows: readonly Row[],
  time: { readonly minutes: number; readonly drivenAtOnce: number; readonly now: () => number },
): Schedule {
  const { now } = time;
  const startMs = now();
  const deadlineMs = startMs + time.minutes * 60_000 - END_MS;
  const places = Math.min(time.drivenAtOnce, rows.length);
  const notBegun = rows.toSorted((one, other) => urgencyOf(other) - urgencyOf(one));
  const notDriven = new Set(rows);
  const driven = new Map<Row, { readonly fromMs: number; readonly untilMs: number }>();
  const queue: (() => void)[] = [];
  let busyMs = 0;

  /** Returns the average wait of a place before a row. */
  function idleMs(nowMs: number): number {
    const done = rows.length - notDriven.size;
    if (done < places) return FIRST_IDLE_MS;
    const current = [...driven.values()].reduce((sum, { fromMs }) => sum + nowMs - fromMs, 0);
    return Math.max(0, places * (nowMs - startMs) - busyMs - current) / done;
  }

  function shareMs(nowMs: number): number {
    const others = [...driven.values()].map(({ untilMs }) => Math.max(nowMs, untilMs));
    const free = Array.from({ length: places - others.length }, () => nowMs);
    const spareMs = [...others, ...free].reduce((sum, fromMs) => sum + (deadlineMs - fromMs), 0);
    const weights = [...notDriven].reduce((sum, { weight = 1 }) => sum + weight, 0);
    return (spareMs - notDriven.size * idleMs(nowMs)) / weights;
  }

  function begin(row: Row): Turn {
    const fromMs = now();
    const driveMs = Math.max(shareMs(fromMs) * (row.weight ?? 1), LEAST_DRIVE_MS);
    notDriven.delete(row);
    driven.set(row, { fromMs, untilMs: fromMs + driveMs });
    const end = (): void => {
      if (!driven.delete(row)) return;
      busyMs += now() - fromMs;
      queue.shift()?.();
    };
    return { driveMs, end };
  }

  return {
    next: () => notBegun.shift() ?? null,
    takeTurn: async (row) => {
      while (driven.size >= places) await new Promise<void>((resolve) => queue.push(resolve));
      return begin(row);
    },
  };
}

const urgencyOf = ({ restSeconds = 0, weight = 1 }: Row): number => restSeconds + weight;
