/** Counts of outcomes per instruction; `several` is a transaction of more than one. */
export type Coverage = {
  readonly count: (instruction: string, outcome: string, times?: number) => void;
  readonly entries: () => readonly (readonly [string, string, number])[];
};

export function createCoverage(): Coverage {
  const counts = new Map<string, Map<string, number>>();
  return {
    count: (instruction, outcome, times = 1) => {
      const outcomes = counts.get(instruction) ?? new Map<string, number>();
      counts.set(instruction, outcomes);
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + times);
    },
    entries: () =>
      [...counts].flatMap(([instruction, outcomes]) =>
        [...outcomes].map(([outcome, times]) => [instruction, outcome, times] as const),
      ),
  };
}
