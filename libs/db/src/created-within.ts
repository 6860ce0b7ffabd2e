import { sql } from 'slonik';

/**
 * Returns the conditions on `created_at` of a table's rows: `from` or later, and before `to`. A
 * bound that is absent adds no condition: behind `is null or`, a kept plan uses no index for it.
 */
export function createdWithin({
  from,
  to,
}: {
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
}) {
  return [
    ...(from === undefined ? [] : [sql.fragment`created_at >= ${from.toISOString()}::timestamptz`]),
    ...(to === undefined ? [] : [sql.fragment`created_at < ${to.toISOString()}::timestamptz`]),
  ];
}
