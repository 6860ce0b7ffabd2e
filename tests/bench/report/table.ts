import { formatTable } from '../../support/format-table.ts';
import type { Line, Verdict } from '../row.ts';

const MARKS = { reached: '✓', missed: '✗', reported: '' } as const satisfies Record<
  Verdict,
  string
>;

/** The table as Markdown. */
export function tableOf(lines: readonly Line[]): string {
  const head = ['row', 'what', 'ours', 'reference', 'result', 'to reach', ''];
  const cells = lines.map((line) => [
    `\`${line.id}\``,
    line.what,
    line.ours,
    line.reference,
    line.result,
    line.target,
    MARKS[line.verdict],
  ]);
  return formatTable([head, ...cells]);
}
