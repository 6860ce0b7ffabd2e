import type { AttackedDatabase, StartTarget } from './target.ts';

/** What a run of one surface has at hand. */
export type AttackContext = {
  /** The same seed draws the same attacks. */
  readonly seed: string;
  /** The mutant that this run has to notice; null for the product as it is. */
  readonly mutant: string | null;
  /** Starts a whole system. It runs the mutant where `tests/mutants` has it. */
  readonly startTarget: StartTarget;
  /** A migrated database of its own that no process uses. */
  readonly createDatabase: () => Promise<AttackedDatabase>;
  /** Tells a person who waits how far it is. */
  readonly progress: (line: string) => void;
};

export type Report = {
  /** How many attacks were tried. */
  readonly cases: number;
  /** Those that got further than they may, each in one sentence. */
  readonly findings: readonly string[];
  /** Why nothing was tried; absent when it was. */
  readonly skipped?: string | undefined;
};

/** One row of the table of `npm run attack`: a place where somebody can try. */
export type Surface = {
  readonly name: string;
  /** Without fewer cases than these the row says too little. */
  readonly leastCases: number;
  /** Known defects, tried one at a time: the surface must notice each. */
  readonly mutants: readonly string[];
  /** How many mutants are tried side by side where their runs share nothing; 1 when absent. */
  readonly mutantsAtOnce?: number;
  readonly attack: (context: AttackContext) => Promise<Report>;
};

/** Counts cases and keeps what they found. */
export type Cases = {
  /**
   * One attack.
   * @param attempt answers null when it was held off, else what it got, in a few words
   */
  try(name: string, attempt: () => Promise<string | null> | string | null): Promise<void>;
  readonly report: () => Report;
};

/** An attack that could not be carried out is a finding: nobody knows what it would have got. */
export function createCases(): Cases {
  const findings: string[] = [];
  let cases = 0;
  return {
    try: async (name, attempt) => {
      cases += 1;
      try {
        const got = await attempt();
        if (got !== null) findings.push(`${name}: ${got}`);
      } catch (error) {
        findings.push(`${name}: could not be tried: ${sentenceOf(error)}`);
      }
    },
    report: () => ({ cases, findings }),
  };
}

const sentenceOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
