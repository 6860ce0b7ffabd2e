import { sql } from 'slonik';

/**
 * SQL: a table of one row for the `from` of an update that is a statement of its own. Its commit
 * then does not wait for the disk. A crash of Postgres may undo it, which must cost no more than
 * another look.
 */
export const withoutDisk = sql.fragment`
  (select set_config('synchronous_commit', 'off', true)) as without_disk
`;
