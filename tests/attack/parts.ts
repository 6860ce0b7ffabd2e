import { type AttackContext, type Cases, createCases, type Report } from './surface.ts';

/** Attacks that belong together, and the checks that at least one of them must miss when it is gone. */
export type Part<World> = {
  readonly shows: readonly string[];
  readonly attack: (cases: Cases, world: World) => Promise<void>;
};

/**
 * All parts one after the other. Of a check that was taken away it is enough to know that it is
 * missed: only parts that can miss it are tried, and nothing after the first finding.
 */
export async function attackParts<World>(
  { removed }: AttackContext,
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
    if (removed === null) await part.attack(cases, world);
    else if (part.shows.includes(removed)) await part.attack(untilFound, world);
  }
  return cases.report();
}
