import { readdir, readFile } from 'node:fs/promises';

const ROWS_DIR = new URL('rows/', import.meta.url);
const CALL = /^row\(\s*'([^']+)'/gm;

/** Which file of `rows/` has a row's test. */
export type FoundTest = { readonly id: string; readonly file: string };

/** The tests of rows, read from the files' text, so that nothing needs to be started for it. */
export async function findTests(): Promise<readonly FoundTest[]> {
  const files = (await readdir(ROWS_DIR)).filter((name) => name.endsWith('.test.ts')).toSorted();
  const found = await Promise.all(
    files.map(async (file) => {
      const text = await readFile(new URL(file, ROWS_DIR), 'utf8');
      return [...text.matchAll(CALL)].flatMap(([, id]) => (id === undefined ? [] : { id, file }));
    }),
  );
  return found.flat();
}
