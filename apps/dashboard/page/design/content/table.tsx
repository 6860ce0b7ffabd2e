import type { ComponentChildren } from 'preact';
import './table.css';

/** A column: its heading, its cell of a row, and whether it holds numbers, which align right. */
export type Column<Row> = {
  readonly heading: string;
  readonly cell: (row: Row) => ComponentChildren;
  readonly isNumeric?: boolean;
};

/** A table that scrolls inside itself where the window is narrow. */
export function Table<Row>({
  caption,
  columns,
  rows,
  keyOf,
}: {
  /** Read by screen readers. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
}) {
  const alignOf = ({ isNumeric = false }: Column<Row>) => (isNumeric ? 'table-number' : undefined);
  return (
    <div class="table-frame" role="group" aria-label={caption} tabindex={0}>
      <table class="table">
        <caption class="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.heading} scope="col" class={alignOf(column)}>
                {column.heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map((column) => (
                <td key={column.heading} class={alignOf(column)}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
