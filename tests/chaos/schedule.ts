import type { Row } from './row.ts';

const LEAST_DRIVE_MS = 10_000;
/** Rest and checks of the last row. */
const END_MS = 20_000;
/** A place that waits for a world to be ready, before anything was measured. */
const FIRST_IDLE_MS = 15_000;

/** One row's time under load. */
export type Turn = { readonly driveMs: number; readonly end: () => void };

/**
 * Who begins, and who is under load for how long. More worlds are up than are under load: one starts
 * or comes to rest while others are driven.
 */
export type Schedule = {
  /** The row to begin next; null when there is none left. */
  next(): Row | null;
  /** Resolves when there is a place for this row, with its share of the time that is left. */
  takeTurn(row: Row): Promise<Turn>;
};

/** Rows that rest long or may take longer than their share begin first. */
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

  /** How long a place has waited on average before each row. */
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
