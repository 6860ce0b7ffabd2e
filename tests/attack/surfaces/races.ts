import { mutantsNoticedBy } from '../../mutants/mutants.ts';
import { attackParts, type Part } from '../parts.ts';
import type { Surface } from '../surface.ts';
import type { Target } from '../target.ts';
import { closing } from './races/closing.ts';
import { handingOut } from './races/handing-out.ts';
import { limits } from './races/limits.ts';
import { repetitions } from './races/repetitions.ts';

const PARTS: readonly Part<Target>[] = [limits, repetitions, handingOut, closing];

/** Concurrent requests that would be refused one after the other; judged by money and rows. */
export const races: Surface = {
  name: 'races',
  leastCases: 19,
  mutants: mutantsNoticedBy('surface races'),
  mutantsAtOnce: 2,
  attack: async (context) => {
    await using target = await context.startTarget({ slotTimeMs: 200 });
    const report = await attackParts(context, PARTS, target);
    return { ...report, findings: [...report.findings, ...target.deaths] };
  },
};
