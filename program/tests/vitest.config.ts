import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Only the program's tests, which need no database; for runs against many builds. */
export default defineConfig({
  root: fileURLToPath(new URL('../../', import.meta.url)),
  test: {
    include: ['program/tests/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 2,
    isolate: false,
    testTimeout: 60_000,
  },
});
