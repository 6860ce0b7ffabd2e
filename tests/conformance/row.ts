import { expect, test } from 'vitest';
import { register, type RowId } from './register/index.ts';
import type { Row } from './register/row-class.ts';

declare module 'vitest' {
  interface TaskMeta {
    /** The rows that a test shows; set when it starts. */
    rows?: readonly string[];
  }
}

const rows = new Map<string, Row>(
  Object.values(register).flatMap((section) => Object.entries<Row>(section)),
);

/**
 * The test that shows one row of the interface, or several; their sentences are in the register.
 * Throws an Error for an id that the register does not have as a tested row.
 */
export function row(ids: RowId | readonly RowId[], show: () => Promise<void> | void): void {
  const shown: readonly RowId[] = typeof ids === 'string' ? [ids] : ids;
  const sentences = shown.map((id) => {
    const found = rows.get(id);
    if (found?.class !== 'tested') throw new Error(`${id} is not a tested row of the register`);
    return found.says;
  });
  test(`${shown.join(', ')}: ${sentences.join('; ')}`, async ({ task }) => {
    task.meta.rows = shown;
    expect.hasAssertions();
    await show();
  });
}
