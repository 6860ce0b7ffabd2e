import type { Row } from './row.ts';

const FIRST_OVERHEAD_SECONDS = 45;
const LEAST_DRIVE_SECONDS = 10;

/** Shares the time that is left among the rows that are left, whatever the earlier ones took. */
export type Schedule = {
  /** The row to run next and for how long to drive it; null when there is none left. */
  next(nowMs: number): { readonly row: Row; readonly driveMs: number } | null;
  /** Tells what a row has taken beside its drive: start, cast, rest and checks. */
  took(row: Row, ms: { readonly drive: number; readonly all: number }): void;
};

/** Rows that rest long begin first, so that their rest is beside the others' load. */
export function createSchedule(
  rows: readonly Row[],
  time: { readonly startMs: number; readonly minutes: number; readonly atOnce: number },
): Schedule {
  const waiting = rows.toSorted((one, other) => restOf(other) - restOf(one));
  const busyUntilMs = new Map<Row, number>();
  const overheadsMs: number[] = [];
  const deadlineMs = time.startMs + time.minutes * 60_000;
  const atOnce = Math.min(time.atOnce, rows.length);

  const overheadMs = (): number =>
    overheadsMs.length === 0
      ? FIRST_OVERHEAD_SECONDS * 1_000
      : overheadsMs.reduce((sum, one) => sum + one, 0) / overheadsMs.length;

  function shareMs(nowMs: number, left: readonly Row[]): number {
    const ends = [...busyUntilMs.values()].map((endMs) => Math.max(nowMs, endMs));
    const free = Array.from({ length: atOnce - ends.length }, () => nowMs);
    const spareMs = [...ends, ...free].reduce((sum, fromMs) => sum + (deadlineMs - fromMs), 0);
    const weights = left.reduce((sum, { weight = 1 }) => sum + weight, 0);
    return (spareMs - left.length * overheadMs()) / weights;
  }

  return {
    next: (nowMs) => {
      const share = shareMs(nowMs, waiting);
      const row = waiting.shift();
      if (row === undefined) return null;
      const driveMs = Math.max(share * (row.weight ?? 1), LEAST_DRIVE_SECONDS * 1_000);
      busyUntilMs.set(row, nowMs + driveMs + overheadMs() + restOf(row) * 1_000);
      return { row, driveMs };
    },
    took: (row, { drive, all }) => {
      busyUntilMs.delete(row);
      overheadsMs.push(all - drive - restOf(row) * 1_000);
    },
  };
}

const restOf = ({ restSeconds = 0 }: Row): number => restSeconds;
