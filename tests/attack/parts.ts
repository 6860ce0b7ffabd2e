import type { AttackContext, Cases } from './surface.ts';
import { createCases, type Report } from './surface.ts';

/** Attacks that belong together, and the checks that at least one of them must miss when it is gone. */
export type Part<World> = {
  readonly shows: readonly string[];
  readonly attack: (cases: Cases, world: World) => Promise<void>;
};

/** All parts one after the other; those alone that can miss the check that was taken away. */
export async function attackParts<World>(
  { removed }: AttackContext,
  parts: readonly Part<World>[],
  world: World,
): Promise<Report> {
  const cases = createCases();
  for (const part of parts) {
    if (removed === null || part.shows.includes(removed)) await part.attack(cases, world);
  }
  return cases.report();
}
