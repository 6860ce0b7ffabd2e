import type { AttackedDatabase, StartTarget } from './target.ts';

/** The parameters of one run of a surface. */
export type AttackContext = {
  /** The same seed gives the same attacks. */
  readonly seed: string;
  /** The mutant that this run has to notice; null for the product as it is. */
  readonly mutant: string | null;
  /** Starts a whole system. It runs the mutant where `tests/mutants` has it. */
  readonly startTarget: StartTarget;
  /** Creates a migrated database that no process uses. */
  readonly createDatabase: () => Promise<AttackedDatabase>;
  /** Prints progress. */
  readonly progress: (line: string) => void;
};

export type Report = {
  /** Number of attacks tried. */
  readonly cases: number;
  /** Attacks that succeeded, one sentence each. */
  readonly findings: readonly string[];
  /** Why the surface could not be attacked; absent when it was. */
  readonly skipped?: string | undefined;
};

/** One row of `npm run attack`: a place to attack. */
export type Surface = {
  readonly name: string;
  /** With fewer cases the run fails. */
  readonly leastCases: number;
  /** Known defects, tried one at a time: the surface must notice each. */
  readonly mutants: readonly string[];
  /** How many mutants are tried side by side where their runs share nothing; 1 when absent. */
  readonly mutantsAtOnce?: number;
  readonly attack: (context: AttackContext) => Promise<Report>;
};

/** Counts attacks and collects their findings. */
export type Cases = {
  /** Tries one attack. The attempt returns null when it failed, else what it achieved. */
  try(name: string, attempt: () => Promise<string | null> | string | null): Promise<void>;
  readonly report: () => Report;
};

/** An attack that throws is a finding, because its result is unknown. */
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

export type NamedAttempt = readonly [name: string, attempt: () => Promise<string | null>];

/** Tries attacks that do not depend on each other, `atOnce` at a time. */
export async function tryAll(
  cases: Cases,
  attempts: readonly NamedAttempt[],
  atOnce: number,
): Promise<void> {
  for (let first = 0; first < attempts.length; first += atOnce) {
    const batch = attempts.slice(first, first + atOnce);
    await Promise.all(batch.map(([name, attempt]) => cases.try(name, attempt)));
  }
}

const sentenceOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
