/**
 * `npm run sbom [-- <file>]`: writes the bill of materials, to `.local/sbom.cdx.json` by default.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeSbom } from './sbom.ts';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

const [given] = process.argv.slice(2);
const file = given === undefined ? join(ROOT, '.local', 'sbom.cdx.json') : resolve(given);
const sbom = await makeSbom(ROOT);
await mkdir(dirname(file), { recursive: true });
await writeFile(file, `${JSON.stringify(sbom, null, 2)}\n`);
console.log(`${sbom.components.length} components in ${file}`);
