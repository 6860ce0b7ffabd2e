import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** The dashboard in a real browser on one running system, for `npm run test:browser`. */
export default defineConfig({
  root: fileURLToPath(new URL('../../', import.meta.url)),
  test: {
    include: ['tests/browser/*/*.test.ts'],
    globalSetup: ['tests/support/global-setup.ts', 'tests/browser/harness/global-setup.ts'],
    pool: 'forks',
    maxWorkers: 2,
    isolate: false,
    testTimeout: 120_000,
    // As long as playwright waits for an element.
    expect: { poll: { timeout: 30_000 } },
    hookTimeout: 180_000,
  },
});
