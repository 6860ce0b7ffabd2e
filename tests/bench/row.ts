/** A row of the bench: what it runs, and the lines that it adds to the table. */
import type { Bench } from './stage/bench.ts';

/** `missed` needs an entry with its reason in docs/performance.md; `reported` has no target. */
export type Verdict = 'reached' | 'missed' | 'reported';

/** One line of the table. */
export type Line = {
  /** Unique; the name for `--row` and for entries under "Rows that miss". */
  readonly id: string;
  readonly what: string;
  /** Median of ours, with its unit and spread. */
  readonly ours: string;
  /** The same of the reference in the same run; `–` without one. */
  readonly reference: string;
  readonly result: string;
  readonly target: string;
  readonly verdict: Verdict;
  /** For the JSON file: the numbers of each round. */
  readonly numbers: Readonly<Record<string, unknown>>;
};

export type Row = {
  readonly id: string;
  /** Ids of its lines beyond its own, for `--row`. */
  readonly lines: readonly string[];
  /** The row fails when it takes longer. */
  readonly limitMinutes: number;
  readonly run: (bench: Bench) => Promise<readonly Line[]>;
};
