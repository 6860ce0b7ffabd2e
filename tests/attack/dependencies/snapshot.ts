import { existsSync } from 'node:fs';
import { readdir, readFile, realpath } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { makeSbom, type Sbom } from '../../../apps/local/src/sbom/sbom.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
/** Not part of the repository. */
const SKIPPED = new Set(['node_modules', '.git', '.local', 'target']);

const oneOrMore = z.union([z.string(), z.array(z.string())]).optional();
const lockEntry = z.object({
  version: z.string().optional(),
  resolved: z.string().optional(),
  integrity: z.string().optional(),
  link: z.boolean().optional(),
  optional: z.boolean().optional(),
  hasInstallScript: z.boolean().optional(),
  os: oneOrMore,
  cpu: oneOrMore,
});
const lockfile = z.object({ packages: z.record(z.string(), lockEntry) });

const versions = z.record(z.string(), z.string()).default({});
const manifest = z.object({
  name: z.string().optional(),
  dependencies: versions,
  devDependencies: versions,
  optionalDependencies: versions,
  peerDependencies: versions,
  peerDependenciesMeta: z.record(z.string(), z.object({ optional: z.boolean() })).default({}),
  allowScripts: z.record(z.string(), z.boolean()).default({}),
});

export type LockEntry = z.output<typeof lockEntry>;
export type Manifest = z.output<typeof manifest>;
export type Crate = Readonly<Record<string, string>>;

/** All files and folders that decide where foreign code comes from. */
export type Dependencies = {
  readonly root: string;
  /** By path in the lockfile. */
  readonly packages: Record<string, LockEntry>;
  /** What npm has recorded as installed, by the same paths. */
  readonly installed: Record<string, LockEntry>;
  /** Package folders that exist. */
  readonly folders: string[];
  readonly manifests: Record<string, Manifest>;
  readonly npmrc: string[];
  readonly files: string[];
  readonly crates: Crate[];
  readonly ownCrates: string[];
  /** Dependencies in the manifests of our own crates. */
  readonly cargoRequirements: { readonly crate: string; readonly wants: string }[];
  /** Lines of Python requirements; continued lines are joined. */
  readonly requirements: string[];
  readonly sbom: Sbom;
};

export async function readDependencies(): Promise<Dependencies> {
  const read = (path: string): Promise<string> => readFile(join(ROOT, path), 'utf8');
  const files = await listFiles(ROOT);
  const named = (name: string): string[] => files.filter((path) => basename(path) === name);
  const manifests = await Promise.all(
    named('package.json').map(
      async (path) => [path, manifest.parse(JSON.parse(await read(path)))] as const,
    ),
  );
  const cargo = await Promise.all(named('Cargo.toml').map(read));
  const python = await Promise.all(named('requirements.txt').map(read));
  return {
    root: ROOT,
    packages: lockfile.parse(JSON.parse(await read('package-lock.json'))).packages,
    installed: lockfile.parse(JSON.parse(await read('node_modules/.package-lock.json'))).packages,
    folders: await listInstalled(join(ROOT, 'node_modules')),
    manifests: Object.fromEntries(manifests),
    npmrc: linesOf(await read('.npmrc')),
    files,
    crates: cratesOf(await read('program/Cargo.lock')),
    ownCrates: cargo.flatMap((text) => /^name = "([^"]*)"$/m.exec(text)?.slice(1) ?? []),
    cargoRequirements: cargo.flatMap(requirementsOf),
    requirements: python.flatMap((text) => linesOf(text.replaceAll(/\\\n/g, ' '))),
    sbom: await makeSbom(ROOT),
  };
}

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));

async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const found = await Promise.all(
    entries
      .filter(({ name }) => !SKIPPED.has(name))
      .map(async (entry) => {
        const path = join(folder, entry.name);
        return entry.isDirectory() ? listFiles(path) : [relative(ROOT, path)];
      }),
  );
  return found.flat();
}

/** Returns the paths of the packages in a `node_modules`, nested ones included. */
async function listInstalled(folder: string): Promise<string[]> {
  if (!existsSync(folder)) return [];
  const found: string[] = [];
  for (const name of await readdir(folder)) {
    if (name.startsWith('.')) continue;
    const path = join(folder, name);
    const packages = name.startsWith('@') ? await readdir(path) : [''];
    for (const one of packages) {
      const place = join(path, one);
      // A workspace is a link: the lockfile names what is installed in its own folder.
      const inside = join(await realpath(place), 'node_modules');
      found.push(relative(ROOT, place), ...(await listInstalled(inside)));
    }
  }
  return found;
}

function cratesOf(lock: string): Crate[] {
  const [, ...blocks] = lock.split('[[package]]');
  return blocks.map((block) =>
    Object.fromEntries(
      [...block.matchAll(/^(\w+) = "([^"]*)"$/gm)].map(([, key, value]) => [key, value]),
    ),
  );
}

/** Reads dependency tables: `name = "version"` or `name = { version = "…" }`. */
function requirementsOf(manifestText: string): { crate: string; wants: string }[] {
  const tables = manifestText.split(/^\[/m).filter((table) => /^[\w-]*dependencies\]/.test(table));
  return tables.flatMap((table) =>
    [...table.matchAll(/^([\w-]+) = (.*)$/gm)].map(([, crate = '', right = '']) => ({
      crate,
      wants: /(?:^|version = )"([^"]*)"/.exec(right)?.[1] ?? right,
    })),
  );
}
