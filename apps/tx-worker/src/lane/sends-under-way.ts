/** What is left of runs that have ended: slow lanes, and first sends. */
export type SendsUnderWay = {
  /** Ends when there is room for what one more run leaves. */
  readonly waitForRoom: () => Promise<void>;
  /** `sends` must not reject. */
  readonly add: (sends: Promise<unknown>) => void;
  readonly drain: () => Promise<void>;
};

/** Bounds how many runs have sends under way: a slow node then slows down the claims. */
export function createSendsUnderWay(mostRuns: number): SendsUnderWay {
  const underWay = new Set<Promise<unknown>>();
  return {
    waitForRoom: async () => {
      while (underWay.size >= mostRuns) await Promise.race(underWay);
    },
    add: (sends) => {
      const ended = sends.finally(() => underWay.delete(ended));
      underWay.add(ended);
    },
    drain: async () => {
      await Promise.all(underWay);
    },
  };
}
