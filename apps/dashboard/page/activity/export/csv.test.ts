import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { toCsv } from './csv.ts';

/** What a reader of RFC 4180 finds in a file. */
function readCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = '';
  let isQuoted = false;
  for (let i = 0; i < text.length; i += 1) {
    const char = text.charAt(i);
    if (isQuoted) {
      if (char !== '"') cell += char;
      else if (text.charAt(i + 1) === '"') {
        cell += '"';
        i += 1;
      } else isQuoted = false;
    } else if (char === '"') isQuoted = true;
    else if (char === ',') {
      row.push(cell);
      cell = '';
    } else if (char === '\r' && text.charAt(i + 1) === '\n') {
      rows.push([...row, cell]);
      row = [];
      cell = '';
      i += 1;
    } else cell += char;
  }
  return rows;
}

const shown = (text: string) => (/^[=\r\n]/.test(text) ? `'${text}` : text);

describe('a CSV file', () => {
  it('quotes what holds commas, quotes and line breaks, and ends each line', () => {
    expect(
      toCsv(
        ['a', 'b'],
        [
          ['1,5', 'say "hi"\nagain'],
          ['', 'x'],
        ],
      ),
    ).toBe('a,b\r\n"1,5","say ""hi""\nagain"\r\n,x\r\n');
  });

  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '\n=1'])(
    'never begins a cell with a formula: %j',
    (text) => {
      expect(readCsv(toCsv(['a'], [[text]]))[1]).toEqual([`'${text}`]);
    },
  );

  it('is read back as it was written, whatever the cells hold', () => {
    const cells = fc.string({ unit: fc.constantFrom('a', ',', '"', '\r', '\n', '=', ' ') });
    fc.assert(
      fc.property(fc.array(fc.tuple(cells, cells), { maxLength: 5 }), (rows) => {
        expect(readCsv(toCsv(['h', 'i'], rows))).toEqual([
          ['h', 'i'],
          ...rows.map((row) => row.map(shown)),
        ]);
      }),
    );
  });
});
