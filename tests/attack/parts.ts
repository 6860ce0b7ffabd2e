import { type AttackContext, type Cases, createCases, type Report } from './surface.ts';

/** Attacks that belong together, and the mutants that at least one of them must notice. */
export type Part<World> = {
  readonly shows: readonly string[];
  readonly attack: (cases: Cases, world: World) => Promise<void>;
};

/**
 * Runs all parts in turn. Against a mutant one finding is enough: only the parts that must notice
 * it run, and they stop at the first finding.
 */
export async function attackParts<World>(
  { mutant }: AttackContext,
  parts: readonly Part<World>[],
  world: World,
): Promise<Report> {
  const cases = createCases();
  const untilFound: Cases = {
    ...cases,
    try: async (name, attempt) => {
      if (cases.report().findings.length === 0) await cases.try(name, attempt);
    },
  };
  for (const part of parts) {
    if (mutant === null) await part.attack(cases, world);
    else if (part.shows.includes(mutant)) await part.attack(untilFound, world);
  }
  return cases.report();
}
