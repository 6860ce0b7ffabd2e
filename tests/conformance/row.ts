import { expect, test } from 'vitest';
import { register, type RowId } from './register/index.ts';
import type { Row } from './register/row-class.ts';

const rows = new Map<string, Row>(
  Object.values(register).flatMap((section) => Object.entries<Row>(section)),
);

/**
 * The test that shows one row of the interface; its sentence is in the register.
 * @throws Error for an id that the register does not have as a tested row.
 */
export function row(id: RowId, show: () => Promise<void> | void): void {
  const found = rows.get(id);
  if (found?.class !== 'tested') throw new Error(`${id} is not a tested row of the register`);
  test(`${id}: ${found.says}`, async () => {
    expect.hasAssertions();
    await show();
  });
}
