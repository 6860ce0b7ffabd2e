import { readdir, readFile } from 'node:fs/promises';

const ROWS_DIR = new URL('rows/', import.meta.url);
const CALL = /^row\(\s*('[^']+'|\[[^\]]+\])/gm;

/** Which file of `rows/` has a row's test. */
export type FoundTest = { readonly id: string; readonly file: string };

/** The tests of rows, found in the text of the files, so that no system has to be started. */
export async function findTests(): Promise<readonly FoundTest[]> {
  const files = (await readdir(ROWS_DIR)).filter((name) => name.endsWith('.test.ts')).toSorted();
  const found = await Promise.all(
    files.map(async (file) => {
      const text = await readFile(new URL(file, ROWS_DIR), 'utf8');
      return idsIn(text).map((id) => ({ id, file }));
    }),
  );
  return found.flat();
}

/** The ids of the `row(…)` calls in a file's text. */
export function idsIn(text: string): readonly string[] {
  return [...text.matchAll(CALL)].flatMap(([, ids = '']) =>
    [...ids.matchAll(/'([^']+)'/g)].map(([, id = '']) => id),
  );
}
