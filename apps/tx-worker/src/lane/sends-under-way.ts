/** The first sends of lane runs that have ended. */
export type SendsUnderWay = {
  /** Ends when there is room for the sends of one more run. */
  readonly waitForRoom: () => Promise<void>;
  /** `sends` must not reject. */
  readonly add: (sends: Promise<void>) => void;
  readonly drain: () => Promise<void>;
};

/** Bounds how many runs have sends under way: a slow node then slows down the claims. */
export function createSendsUnderWay(mostRuns: number): SendsUnderWay {
  const underWay = new Set<Promise<void>>();
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
