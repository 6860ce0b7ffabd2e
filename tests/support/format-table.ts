/**
 * Returns a Markdown table, its head first, with padded columns; all but the first align as told.
 */
export function formatTable(
  lines: readonly (readonly string[])[],
  { align = 'left' }: { readonly align?: 'left' | 'right' } = {},
): string {
  const [head = []] = lines;
  const widths = head.map((_, column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  );
  const pad = (cell: string, column: number): string =>
    align === 'right' && column > 0
      ? cell.padStart(widths[column] ?? 0)
      : cell.padEnd(widths[column] ?? 0);
  const [titles, ...body] = lines.map((line) => line.map(pad));
  const rule = widths.map((width) => '-'.repeat(width));
  return [titles ?? [], rule, ...body].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
