import { z } from 'zod';

const script = z.array(
  z.object({ id: z.string(), name: z.string(), input: z.record(z.string(), z.unknown()) }),
);

/** The tool calls of a scripted model, one in each step; the ids are those of its provider. */
export type Script = z.output<typeof script>;

/** The script of this process, which the test that starts it has set. */
export const SCRIPT: Script = script.parse(JSON.parse(process.env['SCRIPT'] ?? '[]'));
