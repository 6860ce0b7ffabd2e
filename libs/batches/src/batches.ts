import { setTimeout as delay, setImmediate as endOfTick } from 'node:timers/promises';

/** Makes one run of calls that come together, for each key on its own. */
export type Batches<Item, Result> = (key: string, item: Item) => Promise<Result>;

type BatchOptions<Item, Result> = {
  /** Returns the results in the order of the items. */
  readonly run: (items: readonly Item[], key: string) => Promise<readonly Result[]>;
  /** Runs of one key at once. */
  readonly concurrency: number;
  /** Total weight of a run; an item that is heavier runs alone. */
  readonly maxWeight: number;
  /** Bounds the items of one key that wait for a run; beyond it a call throws `fault`. */
  readonly mostWaiting?: { readonly count: number; readonly fault: () => Error };
  /** 1 by default. */
  readonly weightOf?: (item: Item) => number;
  /** For this long a run waits for further items; by default until the end of the tick. */
  readonly collectMs?: number;
  /**
   * Whether a run that failed had no effect and may be repeated item by item, so that the fault of
   * one is not the fault of all. Never by default.
   */
  readonly maySplit?: (fault: unknown) => boolean;
  /**
   * Whether the items that wait for the next run of the key share the fault of a run, so that they
   * do not wait for the same fault again. Never by default.
   */
  readonly endsWaiting?: (fault: unknown) => boolean;
};

type Waiting<Item, Result> = {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (fault: unknown) => void;
};

type Queue<Item, Result> = { readonly waiting: Waiting<Item, Result>[]; runs: number };

/**
 * Batches calls. An item starts a run at once while fewer than `concurrency` runs of its key are
 * under way; otherwise the next run takes all items that have come meanwhile. No item is part of a
 * run that began before it came.
 */
export function createBatches<Item, Result>(
  options: BatchOptions<Item, Result>,
): Batches<Item, Result> {
  const { concurrency, mostWaiting, collectMs = 0 } = options;
  const queues = new Map<string, Queue<Item, Result>>();

  const runAll = async (key: string, queue: Queue<Item, Result>): Promise<void> => {
    await (collectMs === 0 ? endOfTick() : delay(collectMs));
    while (queue.waiting.length > 0) await runNext(queue, key);
    queue.runs -= 1;
    if (queue.runs === 0) queues.delete(key);
  };

  const runNext = async ({ waiting }: Queue<Item, Result>, key: string): Promise<void> => {
    const batch = takeBatch(waiting, options);
    try {
      await runBatch(batch, key);
    } catch (fault) {
      const ended = options.endsWaiting?.(fault) === true ? waiting.splice(0) : [];
      for (const { reject } of [...batch, ...ended]) reject(fault);
    }
  };

  /** Throws what is a fault of the whole batch. */
  const runBatch = async (batch: readonly Waiting<Item, Result>[], key: string): Promise<void> => {
    try {
      const results = await options.run(
        batch.map(({ item }) => item),
        key,
      );
      if (results.length !== batch.length) throw new RangeError('a run has one result per item');
      for (const [place, result] of results.entries()) batch[place]?.resolve(result);
    } catch (fault) {
      if (batch.length > 1 && options.maySplit?.(fault) === true) {
        for (const one of batch) await runAlone(one, key);
      } else throw fault;
    }
  };

  const runAlone = async (one: Waiting<Item, Result>, key: string): Promise<void> => {
    try {
      await runBatch([one], key);
    } catch (fault) {
      if (options.endsWaiting?.(fault) === true) throw fault;
      one.reject(fault);
    }
  };

  return (key, item) =>
    new Promise((resolve, reject) => {
      const queue = queues.get(key) ?? { waiting: [], runs: 0 };
      queues.set(key, queue);
      if (mostWaiting !== undefined && queue.waiting.length >= mostWaiting.count) {
        reject(mostWaiting.fault());
        return;
      }
      queue.waiting.push({ item, resolve, reject });
      if (queue.runs >= concurrency) return;
      queue.runs += 1;
      void runAll(key, queue);
    });
}

function takeBatch<Item, Result>(
  waiting: Waiting<Item, Result>[],
  { maxWeight, weightOf = () => 1 }: BatchOptions<Item, Result>,
): readonly Waiting<Item, Result>[] {
  let weight = 0;
  const tooMuch = waiting.findIndex(({ item }, place) => {
    weight += weightOf(item);
    return place > 0 && weight > maxWeight;
  });
  return waiting.splice(0, tooMuch === -1 ? waiting.length : tooMuch);
}
