export type InTurn = <Result>(key: string, run: () => Promise<Result>) => Promise<Result>;

/** Runs what has the same key one after the other, in the order of the calls. */
export function createInTurn(): InTurn {
  const last = new Map<string, Promise<unknown>>();
  return (key, run) => {
    const before = last.get(key) ?? Promise.resolve();
    // A failure belongs to its own caller; the next one starts all the same.
    const turn = before.then(run, run);
    last.set(key, turn);
    return turn;
  };
}
