import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

/** All that the built page depends on. */
const SOURCES = [
  'apps/dashboard/page',
  'apps/dashboard/vite.config.ts',
  'libs/contract/src',
  'libs/policy/src',
  'libs/sdk/src',
  'package-lock.json',
];

/** A hash over names and contents of the page's sources, tests left out. */
export async function hashSources(): Promise<string> {
  const lists = await Promise.all(SOURCES.map(filesAt));
  const files = lists.flat().filter((path) => !path.endsWith('.test.ts'));
  const contents = await Promise.all(files.map((path) => readFile(join(ROOT, path))));
  const hash = createHash('sha256');
  for (const [index, path] of files.entries()) {
    hash.update(`${path}\0${contents[index]?.length}\0`).update(contents[index] ?? '');
  }
  return hash.digest('hex');
}

/** The files of a folder, sorted; of a file, itself. */
async function filesAt(path: string): Promise<string[]> {
  if (/\.[a-z]+$/.test(path)) return [path];
  const entries = await readdir(join(ROOT, path), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length))
    .toSorted();
}
