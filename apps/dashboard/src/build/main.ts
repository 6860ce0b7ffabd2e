/** `npm run dashboard:build`: builds the page unless the built one is of the same sources. */
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BUILD_DIRECTORY } from './build-directory.ts';
import { hashSources } from './sources-hash.ts';

const HASH_FILE = 'sources.sha256';
const CONFIG_FILE = fileURLToPath(new URL('../../vite.config.ts', import.meta.url));

const hash = await hashSources();
const built = await readFile(join(BUILD_DIRECTORY, HASH_FILE), 'utf8').catch(() => null);
if (built !== hash) await buildPage();

async function buildPage(): Promise<void> {
  const started = Date.now();
  console.log('building the dashboard …');
  // Imported on demand: an up-to-date page costs a start nothing.
  const { build } = await import('vite');
  // A folder of its own: a build that fails, or another one at the same time, spoils nothing.
  const outDir = `${BUILD_DIRECTORY}-${process.pid}`;
  try {
    await build({ configFile: CONFIG_FILE, logLevel: 'warn', build: { outDir } });
    await mkdir(outDir, { recursive: true });
    await writeFile(join(outDir, HASH_FILE), hash);
    await rm(BUILD_DIRECTORY, { recursive: true, force: true });
    await rename(outDir, BUILD_DIRECTORY);
  } finally {
    await rm(outDir, { recursive: true, force: true });
  }
  console.log(`dashboard built in ${((Date.now() - started) / 1_000).toFixed(1)} s`);
}
