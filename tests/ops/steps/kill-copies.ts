import { join } from 'node:path';
import type { Step } from '../step.ts';
import { killOneOfEach, withTwoOfEach } from '../two-of-each.ts';

/** As processes of this machine: what a container adds is shown by the other steps. */
export const killCopies: Step = {
  name: 'two of each process: a killed copy of each under load is missed by nobody',
  run: async ({ folder, log }) =>
    withTwoOfEach({ dataDir: join(folder, 'two-of-each') }, (world) => killOneOfEach(world, log)),
};
