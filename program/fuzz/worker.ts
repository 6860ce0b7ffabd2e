import { parentPort, workerData } from 'node:worker_threads';
import { z } from 'zod';
import { committedPrograms } from './chain/chain.ts';
import { createFuzzer } from './fuzz.ts';

/** Receives world numbers from its parent one at a time and posts the result of each. */
const { seed } = z.object({ seed: z.string() }).parse(workerData);
const order = z.object({ world: z.number().int(), length: z.number().int() });

const fuzzer = createFuzzer(seed, committedPrograms);
const parent = parentPort;
if (parent === null) throw new Error('this runs as a worker thread');
parent.on('message', (message: unknown) => {
  const { world, length } = order.parse(message);
  const { steps, coverage, finding } = fuzzer.fuzz(world, length);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origins
  parent.postMessage({ steps, entries: coverage.entries(), finding });
});
