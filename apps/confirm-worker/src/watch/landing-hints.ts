import type { Metrics } from '../metrics.ts';

/** Attempts with hints beyond this are looked at as if they had none. */
const MOST_WAITING = 10_000;

/** Signatures that nodes have notified as landed and no pass has looked at yet. */
export type LandingHints = {
  /** Notes a landing, of this service or of anyone else. */
  readonly note: (signature: string) => void;
  /** Counts the subscriptions. */
  readonly setLive: (isLive: boolean) => void;
  /** Whether at least one subscription is live. */
  readonly areLive: () => boolean;
  /** Takes up to `limit` hints, oldest first. */
  readonly take: (limit: number) => readonly string[];
};

/** A hint only says where to look first: it may be lost, repeated or wrong. */
export function createLandingHints(
  metrics: Pick<Metrics, 'hints' | 'liveHints'>,
  onNote: () => void,
): LandingHints {
  const waiting = new Set<string>();
  let live = 0;
  return {
    note: (signature) => {
      metrics.hints.inc();
      if (waiting.size < MOST_WAITING) waiting.add(signature);
      onNote();
    },
    setLive: (isLive) => {
      live += isLive ? 1 : -1;
      metrics.liveHints.set(live);
    },
    areLive: () => live > 0,
    take: (limit) => {
      const taken = [...waiting.values().take(limit)];
      for (const signature of taken) waiting.delete(signature);
      return taken;
    },
  };
}
