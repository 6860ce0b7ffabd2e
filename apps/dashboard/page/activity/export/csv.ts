/** A cell that a spreadsheet would run as a formula, or that moves the cell after it. */
const FORMULA = /^[=+\-@\t\r\n]/;
const NEEDS_QUOTES = /[",\r\n]/;

/**
 * A CSV file by RFC 4180: CRLF between lines, quotes where they are needed. Cells hold text of
 * agents and services, so one that a spreadsheet would take for a formula gets an apostrophe in
 * front.
 */
export function toCsv(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  return [heading, ...rows].map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}

function cell(text: string): string {
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
