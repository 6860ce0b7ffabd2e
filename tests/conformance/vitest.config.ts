import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** The rows of the interface on one running system, for `npm run conformance`. */
export default defineConfig({
  root: fileURLToPath(new URL('../../', import.meta.url)),
  test: {
    include: ['tests/conformance/rows/*.test.ts'],
    globalSetup: ['tests/support/global-setup.ts', 'tests/conformance/start-world.ts'],
    pool: 'forks',
    maxWorkers: 2,
    // One world for all of them: nothing is gained by loading everything anew for each file.
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
