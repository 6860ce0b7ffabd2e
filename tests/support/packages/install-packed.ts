/** Packages of ours as npm gets them, installed in an empty project. Needs no registry. */
import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';

const run = promisify(execFile);

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const BUILD = join(ROOT, 'apps/local/src/packages/main.ts');

const names = z.record(z.string(), z.string()).default({});
const manifest = z.looseObject({
  name: z.string(),
  dependencies: names,
  optionalDependencies: names,
});

/** A project outside the repository, whose packages would be found otherwise. */
export type PackedProject = {
  readonly folder: string;
  /** Where the first package is in it. */
  readonly installed: string;
  readonly remove: () => void;
};

type Packed = 'agent-tools' | 'cli' | 'mcp' | 'sdk';

/**
 * Builds, packs and installs some of our packages. Their dependencies are those of this repository,
 * and so are `peers`, which a user of them has already.
 */
export async function installPacked(
  first: Packed,
  {
    others = [],
    peers = [],
  }: { readonly others?: readonly Packed[]; readonly peers?: readonly string[] } = {},
): Promise<PackedProject> {
  const folder = mkdtempSync(join(tmpdir(), `packed-${first}-`));
  const project = join(folder, 'project');
  mkdirSync(project);
  const built: string[] = [];
  for (const name of [first, ...others]) {
    const target = join(folder, 'built', name);
    await run(process.execPath, [BUILD, name, target]);
    copyDependencies(target, project);
    built.push(target);
  }
  writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }\n');
  const npm = (...args: readonly string[]) => run('npm', args, { cwd: project });
  await npm('pack', '--ignore-scripts', `--pack-destination=${folder}`, ...built);
  const archives = globSync('*.tgz', { cwd: folder }).map((file) => join(folder, file));
  const quiet = ['--no-audit', '--no-fund'];
  // What is in node_modules already is not fetched; peers such as a compiler are not needed.
  await npm('install', '--offline', '--legacy-peer-deps', ...quiet, ...archives);
  for (const peer of peers) {
    const place = join(project, 'node_modules', peer);
    mkdirSync(dirname(place), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', peer), place);
  }
  const { name } = readManifest(built[0] ?? '');
  const installed = join(project, 'node_modules', name);
  return { folder: project, installed, remove: () => rmSync(folder, { recursive: true }) };
}

const readManifest = (folder: string) =>
  manifest.parse(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')));

/** Copies what the manifest names, and what that needs, to the places where it is here. */
function copyDependencies(built: string, project: string): void {
  const found = new Set<string>();
  const add = (folder: string, from: string): void => {
    const { dependencies, optionalDependencies } = readManifest(folder);
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const next = findPackage(name, from);
      if (next === null && name in optionalDependencies) continue;
      if (next === null) throw new Error(`${name} is not installed here: run npm ci`);
      if (found.has(next)) continue;
      found.add(next);
      add(next, next);
    }
  };
  add(built, ROOT);
  for (const folder of found) {
    cpSync(folder, join(project, relative(ROOT, folder)), {
      recursive: true,
      filter: (path) => basename(path) !== 'node_modules',
    });
  }
}

/** As Node looks for it: in the folder's own node_modules, then further up. */
function findPackage(name: string, from: string): string | null {
  for (let folder = from; folder.startsWith(ROOT.slice(0, -1)); folder = dirname(folder)) {
    const path = join(folder, 'node_modules', name);
    if (existsSync(join(path, 'package.json'))) return path;
  }
  return null;
}
