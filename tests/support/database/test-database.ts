import { inject } from 'vitest';
import { cloneTemplate, type TestDatabase } from './clone-template.ts';

export type { TestDatabase } from './clone-template.ts';

/** A clone of the run's template. Call `drop` in `afterAll`, or use `await using`. */
export function createTestDatabase(): Promise<TestDatabase> {
  return cloneTemplate(inject('templateUrl'));
}
