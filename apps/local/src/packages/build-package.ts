/**
 * Writes a package as npm gets it: JavaScript with types, because Node does not strip types inside
 * node_modules, and with the packages of this repository that it uses inside, because they are not on
 * npm.
 */
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { z } from 'zod';

/** A package to write. */
export type PackageSpec = {
  /** In the repository. */
  readonly folder: string;
  /** Its commands and the files that they run; without any, what its manifest exports is written. */
  readonly bin?: Readonly<Record<string, string>>;
};

const CODE = 'dist';
const OWN_NAME = /'(?<name>@agent-wallet\/[^']+)'/g;
const IMPORTED = /(?:\bfrom|^import|\bimport\() ?'(?<name>[^.'][^']*)'/gm;

const manifest = z.looseObject({
  name: z.string(),
  exports: z.union([z.string(), z.record(z.string(), z.string())]).optional(),
  dependencies: z.record(z.string(), z.string()).default({}),
  peerDependencies: z.record(z.string(), z.string()).optional(),
});
type Manifest = z.output<typeof manifest>;

/** Writes the package to `target`, which is emptied before. Throws where it could not run. */
export function buildPackage(root: string, spec: PackageSpec, target: string): void {
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  const workspaces = readWorkspaces(root);
  const sources = sourcesOf(workspaces);
  const code = join(target, CODE);
  const own = readManifest(join(root, spec.folder, 'package.json'));
  const entries = Object.values(spec.bin ?? exportsOf(own)).map((file) =>
    join(root, spec.folder, file),
  );
  compile(root, { entries, sources, code });
  pointInside(root, code, sources);
  const dependencies = dependenciesOf(code, own, workspaces);
  const { private: _private, exports: _exports, bin: _bin, ...fields } = own;
  const entryFields = writtenEntries(spec, own);
  const written = { ...fields, ...entryFields, files: [CODE], dependencies };
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(written, null, 2)}\n`);
  copyFileSync(join(root, spec.folder, 'README.md'), join(target, 'README.md'));
  copyFileSync(join(root, 'LICENSE'), join(target, 'LICENSE'));
}

/** The field `bin` or `exports` of the written package. */
function writtenEntries({ folder, bin }: PackageSpec, own: Manifest): object {
  const written = (file: string): string => `./${join(CODE, folder, file).replace(/\.ts$/, '.js')}`;
  const mapped = <Value>(files: Readonly<Record<string, string>>, map: (file: string) => Value) =>
    Object.fromEntries(Object.entries(files).map(([name, file]) => [name, map(written(file))]));
  if (bin !== undefined) return { bin: mapped(bin, (file) => file) };
  return { exports: mapped(exportsOf(own), (file) => ({ types: typesOf(file), default: file })) };
}

const typesOf = (file: string): string => file.replace(/\.js$/, '.d.ts');

type Workspace = { readonly folder: string; readonly manifest: Manifest };

function readWorkspaces(root: string): readonly Workspace[] {
  return globSync('{apps,libs}/*/package.json', { cwd: root }).map((file) => ({
    folder: join(root, dirname(file)),
    manifest: readManifest(join(root, file)),
  }));
}

function readManifest(file: string): Manifest {
  return manifest.parse(JSON.parse(readFileSync(file, 'utf8')));
}

/** The source file of each name that the packages of this repository export. */
function sourcesOf(workspaces: readonly Workspace[]): ReadonlyMap<string, string> {
  return new Map(
    workspaces.flatMap(({ folder, manifest: own }) =>
      Object.entries(exportsOf(own)).map(
        ([path, file]) => [join(own.name, path), join(folder, file)] as const,
      ),
    ),
  );
}

const exportsOf = ({ exports = {} }: Manifest): Readonly<Record<string, string>> =>
  typeof exports === 'string' ? { '.': exports } : exports;

function compile(
  root: string,
  files: {
    readonly entries: readonly string[];
    readonly sources: ReadonlyMap<string, string>;
    readonly code: string;
  },
): void {
  const folder = mkdtempSync(join(tmpdir(), 'build-package-'));
  const project = join(folder, 'tsconfig.json');
  const paths = [...files.sources].map(([name, file]) => [name, [file]] as const);
  const compilerOptions = {
    noEmit: false,
    rootDir: root,
    outDir: files.code,
    declaration: true,
    rewriteRelativeImportExtensions: true,
    typeRoots: [join(root, 'node_modules/@types')],
    paths: Object.fromEntries(paths),
  };
  const config = { extends: join(root, 'tsconfig.json'), compilerOptions, files: files.entries };
  writeFileSync(project, JSON.stringify({ ...config, include: [] }));
  try {
    const tsc = join(root, 'node_modules/.bin/tsc');
    const { status } = spawnSync(tsc, ['--project', project], { stdio: 'inherit' });
    if (status !== 0) throw new Error('tsc failed');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Replaces the names of this repository's packages by their relative paths in the package. */
function pointInside(root: string, code: string, sources: ReadonlyMap<string, string>): void {
  for (const name of globSync('**/*.{js,d.ts}', { cwd: code })) {
    const file = join(code, name);
    const text = readFileSync(file, 'utf8').replaceAll(OWN_NAME, (_quoted, own: string) => {
      const source = sources.get(own);
      if (source === undefined) throw new Error(`${name} imports ${own}, which nothing exports`);
      const target = join(code, relative(root, source)).replace(/\.ts$/, '.js');
      const path = relative(dirname(file), target);
      return `'${path.startsWith('.') ? path : `./${path}`}'`;
    });
    writeFileSync(file, text);
  }
}

/** What the written code imports from npm beside its peers, in the versions of this repository. */
function dependenciesOf(
  code: string,
  { peerDependencies = {} }: Manifest,
  workspaces: readonly Workspace[],
): Readonly<Record<string, string>> {
  const versions = new Map(
    workspaces.flatMap(({ manifest: { dependencies } }) => Object.entries(dependencies)),
  );
  const imported = globSync('**/*.{js,d.ts}', { cwd: code }).flatMap((name) =>
    [...readFileSync(join(code, name), 'utf8').matchAll(IMPORTED)].flatMap(
      ({ groups }) => groups?.['name'] ?? [],
    ),
  );
  const names = new Set(imported.filter((name) => !name.startsWith('node:')).map(packageOf));
  const needed = [...names].filter((name) => !(name in peerDependencies));
  return Object.fromEntries(
    needed.toSorted().map((name) => {
      const version = versions.get(name);
      if (version === undefined) throw new Error(`no package of this repository lists ${name}`);
      return [name, version];
    }),
  );
}

const packageOf = (name: string): string => /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name;
