/**
 * Writes the package as npm gets it: `node libs/sdk/build.ts [folder]`, by default `.local/sdk`.
 *
 * JavaScript with types, because Node does not strip types inside node_modules, and with the
 * contract and the rules of the limits inside, which are not packages of their own on npm.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const HERE = join(ROOT, 'libs/sdk');
const CONTRACT = '@agent-wallet/contract';
const POLICY = '@agent-wallet/policy';
const LIB = './lib/sdk/src';

const manifest = z.looseObject({ dependencies: z.record(z.string(), z.string()) });

const folder = resolve(process.argv[2] ?? join(ROOT, '.local/sdk'));
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
compile(join(folder, 'lib'));
pointInside(join(folder, 'lib'));
writeFileSync(join(folder, 'package.json'), `${JSON.stringify(packageJson(), null, 2)}\n`);
copyFileSync(join(HERE, 'README.md'), join(folder, 'README.md'));
copyFileSync(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'));
console.log(folder);

function compile(outDir: string): void {
  const tsc = join(ROOT, 'node_modules/.bin/tsc');
  const args = ['--project', join(HERE, 'tsconfig.build.json'), '--outDir', outDir];
  const { status } = spawnSync(tsc, args, { stdio: 'inherit' });
  if (status !== 0) throw new Error('tsc failed');
}

/** Replaces the names of the packages inside by their relative paths. */
function pointInside(lib: string): void {
  for (const name of globSync('sdk/**/*.{js,d.ts}', { cwd: lib })) {
    const file = join(lib, name);
    const pathTo = (inside: string): string => relative(dirname(file), join(lib, inside));
    const text = readFileSync(file, 'utf8')
      .replaceAll(`'${CONTRACT}'`, `'${pathTo('contract/src/index.js')}'`)
      .replaceAll(`'${POLICY}/`, `'${pathTo('policy/src')}/`)
      .replaceAll(/(?<path>\/policy\/src\/[a-z-]+)'/g, "$<path>.js'");
    writeFileSync(file, text);
  }
}

function entry(name: string): object {
  return { types: `${LIB}/${name}.d.ts`, default: `${LIB}/${name}.js` };
}

function packageJson(): object {
  const { private: _private, dependencies, ...sdk } = read(join(HERE, 'package.json'));
  const { [CONTRACT]: _contract, [POLICY]: _policy, ...own } = dependencies;
  const contract = read(join(ROOT, 'libs/contract/package.json'));
  return {
    ...sdk,
    exports: {
      '.': entry('index'),
      './owner': entry('owner/index'),
      './x402': entry('x402/index'),
    },
    files: ['lib'],
    dependencies: { ...contract.dependencies, ...own },
  };
}

function read(file: string): z.output<typeof manifest> {
  return manifest.parse(JSON.parse(readFileSync(file, 'utf8')));
}
