import { formatTable } from '../../support/format-table.ts';
import type { Result } from './try-all.ts';

const KINDS = ['noticed', 'not noticed', 'not tried'] as const;

/** A table of the results by source file, then the names of all mutants that were not noticed. */
export function describeResults(results: readonly Result[]): string {
  const byFile = Map.groupBy(results, ({ mutant }) => mutant.file);
  const rows = [...byFile].toSorted(([one], [other]) => one.localeCompare(other));
  const count = (some: readonly Result[]): string[] =>
    KINDS.map((wanted) => String(some.filter(({ kind }) => kind === wanted).length));
  const table = formatTable(
    [
      ['file', 'mutants', ...KINDS],
      ...rows.map(([file, some]) => [file, String(some.length), ...count(some)]),
      ['all', String(results.length), ...count(results)],
    ],
    { align: 'right' },
  );
  const open = results.filter(({ kind }) => kind !== 'noticed');
  const names = open.map(({ mutant, kind, detail }) =>
    [kind, mutant.name, ...(detail === '' ? [] : [detail])].join(': '),
  );
  return [table, ...(names.length > 0 ? [names.join('\n')] : [])].join('\n\n');
}
