/** The pauses that an endpoint asks for when it gets too many calls: of one method, or of all. */

import type { ThrottledError } from '../rpc/throttled-error.ts';

/** The first pause without Retry-After; each further refusal doubles it. */
const FIRST_PAUSE_MS = 1_000;
/** The first pause at least, when the endpoint says that it need not be longer. */
const SHORTEST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 30_000;
/** Added to a pause, so that several processes do not come back at the same moment. */
const MOST_JITTER_MS = 250;
const ALL_METHODS = '*';

type Pause = { readonly untilMs: number; readonly refusals: number };

export type Pauses = {
  /** Milliseconds until a call of this method may be sent; 0 when it may be sent now. */
  leftMs(method: string): number;
  /** Whether a pause is under way, of one method at least. */
  areAny(): boolean;
  /** Begins a pause, or prolongs the one under way. */
  refused(method: string, error: Pick<ThrottledError, 'retryAfterMs' | 'isOfMethod'>): void;
  /** Ends the growth of the pauses, now that the endpoint takes calls of this method. */
  answered(method: string): void;
};

export function createPauses(options: {
  /** A monotonic clock, in milliseconds. */
  readonly nowMs: () => number;
  /** From 0 to 1. */
  readonly random: () => number;
  /** Called when the first pause begins, and with the first answer after the last one. */
  readonly onChange: () => void;
}): Pauses {
  const { nowMs, random, onChange } = options;
  const pauses = new Map<string, Pause>();
  let wereAny = false;

  const areAny = (): boolean => [...pauses.values()].some(({ untilMs }) => untilMs > nowMs());
  const tellChange = (): void => {
    if (areAny() === wereAny) return;
    wereAny = !wereAny;
    onChange();
  };

  return {
    leftMs: (method) => {
      const untilMs = [method, ALL_METHODS].map((key) => pauses.get(key)?.untilMs ?? 0);
      return Math.max(0, Math.max(...untilMs) - nowMs());
    },
    areAny,
    refused: (method, { retryAfterMs, isOfMethod }) => {
      const key = isOfMethod ? method : ALL_METHODS;
      const known = pauses.get(key);
      const isUnderWay = known !== undefined && known.untilMs > nowMs();
      // Calls that were under way together are refused together: they count once.
      if (isUnderWay && retryAfterMs === null) return;
      const before = known?.refusals ?? 0;
      const pauseMs =
        retryAfterMs === null
          ? doubled(FIRST_PAUSE_MS, before) * (0.5 + random() / 2)
          : Math.max(retryAfterMs, doubled(SHORTEST_PAUSE_MS, before)) + random() * MOST_JITTER_MS;
      const untilMs = Math.max(nowMs() + pauseMs, known?.untilMs ?? 0);
      pauses.set(key, { untilMs, refusals: isUnderWay ? before : before + 1 });
      tellChange();
    },
    answered: (method) => {
      if (pauses.size === 0) return;
      for (const key of [method, ALL_METHODS]) {
        const pause = pauses.get(key);
        // A call that was under way when the pause began says nothing about it.
        if (pause !== undefined && pause.untilMs <= nowMs()) pauses.delete(key);
      }
      tellChange();
    },
  };
}

function doubled(firstMs: number, times: number): number {
  return Math.min(firstMs * 2 ** times, LONGEST_PAUSE_MS);
}
