import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';

/** A file of the built page. */
type BuiltFile = { readonly type: string; readonly body: Buffer };

/** The built page: its HTML, and the files that it loads by their URL path. */
export type BuiltPage = {
  readonly html: Buffer;
  readonly assets: ReadonlyMap<string, BuiltFile>;
};

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/**
 * Reads the built page into memory, so that a later build changes nothing for this process. Throws
 * one sentence if it has not been built.
 */
export async function readBuiltPage(directory: string): Promise<BuiltPage> {
  const html = await readFile(join(directory, 'index.html')).catch((cause: unknown) => {
    throw new Error('The page is not built: run npm run dashboard:build first.', { cause });
  });
  const names = await readdir(join(directory, 'assets'));
  const assets = await Promise.all(
    names.map(async (name) => {
      const type = TYPES[extname(name)];
      if (type === undefined) throw new Error(`The page has a file of unknown type: ${name}`);
      const body = await readFile(join(directory, 'assets', name));
      return [`/assets/${name}`, { type, body }] as const;
    }),
  );
  return { html, assets: new Map(assets) };
}
