/** `npm run packages:build [-- <name> [folder]]`: by default all of them, in `.local/packages`. */
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildPackage } from './build-package.ts';
import { PACKAGE_SPECS } from './package-specs.ts';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const [name, folder] = process.argv.slice(2);
const names = name === undefined ? Object.keys(PACKAGE_SPECS) : [name];
for (const one of names) {
  const spec = PACKAGE_SPECS[one];
  if (spec === undefined) {
    console.error(
      `There is no package "${one}": choose of ${Object.keys(PACKAGE_SPECS).join(', ')}.`,
    );
    process.exitCode = 1;
    break;
  }
  const target = resolve(folder ?? join(ROOT, '.local/packages', one));
  buildPackage(ROOT, spec, target);
  console.log(target);
}
