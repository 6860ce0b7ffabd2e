import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { mutants } from '../mutants/mutants.ts';

const environment = z.object({
  CHAOS_MINUTES: z.coerce.number().min(1).max(1_440).default(18),
  CHAOS_SEED: z.string().min(1).optional(),
  CHAOS_QUEUE: z.enum(['embedded', 'redis']).default('embedded'),
  CHAOS_LANE_DEPTH: z.coerce.number().int().min(1).max(96).default(96),
});

/** Those that a row has to notice. */
const MUTANTS = mutants
  .filter(({ noticedBy }) => noticedBy.some((proof) => proof.startsWith('row ')))
  .map(({ name }) => name);

export type Settings = {
  readonly minutes: number;
  readonly seed: string;
  readonly queue: 'embedded' | 'redis';
  readonly laneDepth: number;
  /** Only rows whose name contains this. */
  readonly row: string;
  /** Only rows about the queue. */
  readonly aboutQueue: boolean;
  /** Runs the product as this mutant, in the rows that must notice it. */
  readonly mutant: string | null;
};

/** Reads arguments and environment. Throws a one-sentence error when one is invalid. */
export function readSettings(args: readonly string[], env: NodeJS.ProcessEnv): Settings {
  const { values } = parseArgs({
    args: [...args],
    options: {
      mutant: { type: 'string' },
      // The earlier name of --mutant.
      plant: { type: 'string' },
      row: { type: 'string', default: '' },
      'about-queue': { type: 'boolean' },
    },
  });
  const { row, 'about-queue': aboutQueue = false } = values;
  const mutant = values.mutant ?? values.plant ?? null;
  if (mutant !== null && !MUTANTS.includes(mutant)) {
    throw new Error(`There is no mutant ${mutant}; there are ${MUTANTS.join(', ')}.`);
  }
  const parsed = environment.parse(env);
  return {
    minutes: parsed.CHAOS_MINUTES,
    seed: parsed.CHAOS_SEED ?? randomBytes(4).toString('hex'),
    queue: parsed.CHAOS_QUEUE,
    laneDepth: parsed.CHAOS_LANE_DEPTH,
    row,
    aboutQueue,
    mutant,
  };
}
