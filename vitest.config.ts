import { configDefaults, defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: [
      'libs/**/*.test.ts',
      'apps/**/*.test.ts',
      'program/tests/**/*.test.ts',
      'tests/**/*.test.ts',
    ],
    // On one system of their own: npm run conformance.
    exclude: [...configDefaults.exclude, 'tests/conformance/rows/**'],
    globalSetup: ['tests/support/global-setup.ts'],
    // Whole-system tests start real processes; two files at a time fit two cores.
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
