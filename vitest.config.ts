import { configDefaults, defineConfig } from 'vitest/config';

const SLOW = 'tests/**/*.slow.test.ts';

/** `npm test` runs the project `quick`, `npm run test:slow` the project `slow`. */
export default defineConfig({
  test: {
    globalSetup: ['tests/support/global-setup.ts'],
    pool: 'forks',
    // Many files wait for a chain or for other processes: three at a time keep two cores busy.
    maxWorkers: 3,
    // A worker loads a module once, not once for each file: half of the CPU time of the unit tests.
    isolate: false,
    // For a busy machine: a test that fails by its timeout alone proves nothing.
    testTimeout: 120_000,
    hookTimeout: 180_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'quick',
          include: [
            'libs/**/*.test.ts',
            'apps/**/*.test.ts',
            'deploy/**/*.test.ts',
            'program/tests/**/*.test.ts',
            'tests/**/*.test.ts',
          ],
          // These have one system of their own: npm run conformance, npm run test:browser.
          exclude: [
            ...configDefaults.exclude,
            'tests/conformance/rows/**',
            'tests/browser/**',
            SLOW,
          ],
        },
      },
      { extends: true, test: { name: 'slow', include: [SLOW] } },
    ],
  },
});
