import { packagesWithoutHash } from '../../../apps/local/packages.mjs';
import type { Cases } from '../surface.ts';
import type { Crate, Dependencies, LockEntry } from './snapshot.ts';

const REGISTRY = 'https://registry.npmjs.org/';
const CRATES = 'registry+https://github.com/rust-lang/crates.io-index';
const EXACT = /^\d+\.\d+\.\d+(?:-[\w.]+)?$/;
const SHA512 = /^sha512-[A-Za-z0-9+/]{86}==$/;
/** npm settings that redirect packages or run their scripts. */
const REDIRECTS = /registry|proxy|cafile|_auth|script-shell|git|strict-ssl/i;
const OTHER_LOCKFILES =
  /(?:^|\/)(?:yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|npm-shrinkwrap\.json|poetry\.lock|Pipfile\.lock|uv\.lock)$/;

/** A name and what is wrong with it, or null. */
type Check = readonly [name: string, fault: string | null];

/** Checks every way by which foreign code could enter unseen. */
export async function checkDependencies(cases: Cases, given: Dependencies): Promise<void> {
  for (const checksOf of [lockfile, manifests, scripts, installed, files, crates, python, sbom]) {
    for (const [name, fault] of checksOf(given)) await cases.try(name, () => fault);
  }
}

const isOurs = (path: string): boolean => !path.includes('node_modules/');
const nameOf = (path: string): string => path.slice(path.lastIndexOf('node_modules/') + 13);

function* lockfile({ packages, root }: Dependencies): Generator<Check> {
  for (const [path, entry] of Object.entries(packages)) {
    yield [`${path}: where it comes from`, sourceFault(entry)];
    if (isOurs(path) || entry.link === true) continue;
    yield [`${path}: its hash`, hashFault(root, path, entry)];
    const { version } = entry;
    yield [`${path}: its version`, EXACT.test(version ?? '') ? null : `is ${version}`];
  }
}

function sourceFault({ resolved, link }: LockEntry): string | null {
  if (link === true) return resolved !== undefined && isOurs(resolved) ? null : `is ${resolved}`;
  if (resolved === undefined) return null;
  return resolved.startsWith(REGISTRY) && resolved.endsWith('.tgz') ? null : `is ${resolved}`;
}

function hashFault(root: string, path: string, entry: LockEntry): string | null {
  if (entry.integrity !== undefined) return SHA512.test(entry.integrity) ? null : 'is weak';
  return isRefusedByLauncher(root, path, entry) ? null : 'is missing';
}

/** Whether the package is optional, for another platform, where the launcher refuses to install. */
function isRefusedByLauncher(
  root: string,
  path: string,
  { optional, os, cpu }: LockEntry,
): boolean {
  const [platform] = [os ?? []].flat();
  const [arch] = [cpu ?? []].flat();
  if (optional !== true || platform === undefined || arch === undefined) return false;
  const here = packagesWithoutHash(root, { platform: 'linux', arch: 'x64' });
  if (here.includes(nameOf(path))) return false;
  return isMusl(path) || packagesWithoutHash(root, { platform, arch }).includes(nameOf(path));
}

/** The embedded chain needs glibc, so the project does not run on musl. */
const isMusl = (path: string): boolean => path.endsWith('-musl');

function* manifests({ manifests: all }: Dependencies): Generator<Check> {
  const own = new Set(Object.values(all).map(({ name }) => name));
  const pinnedByRoot = all['package.json']?.devDependencies ?? {};
  for (const [path, manifest] of Object.entries(all)) {
    const { dependencies, devDependencies, optionalDependencies, peerDependencies } = manifest;
    const { peerDependenciesMeta: meta } = manifest;
    for (const [name, wants] of Object.entries({
      ...peerDependencies,
      ...optionalDependencies,
      ...devDependencies,
      ...dependencies,
    })) {
      const isPinned = EXACT.test(wants) || (own.has(name) && wants === '*');
      // Whoever installs our package chooses the version of an optional peer; here the root does.
      const isChosenHere =
        meta[name]?.optional === true && name in peerDependencies && name in pinnedByRoot;
      yield [`${path}: ${name}`, isPinned || isChosenHere ? null : `is wanted as ${wants}`];
    }
  }
}

function* scripts(given: Dependencies): Generator<Check> {
  const { npmrc, packages } = given;
  const { allowScripts = {} } = given.manifests['package.json'] ?? {};
  yield ['npm: install scripts', npmrc.includes('ignore-scripts=true') ? null : 'are run'];
  for (const line of npmrc) {
    const setting = line.replace('omit-lockfile-registry-resolved', '');
    yield [`npm: ${line}`, REDIRECTS.test(setting) ? 'redirects' : null];
  }
  const scripted = new Set(
    Object.entries(packages)
      .filter(([, { hasInstallScript }]) => hasInstallScript === true)
      .map(([path]) => nameOf(path)),
  );
  for (const name of new Set([...scripted, ...Object.keys(allowScripts)])) {
    const listed = scripted.has(name) ? null : 'is listed and not there';
    const fault = allowScripts[name] === true ? 'is allowed' : listed;
    yield [
      `the install script of ${name}`,
      allowScripts[name] === undefined ? 'is in no list' : fault,
    ];
  }
}

function* installed({ installed: all, packages, folders }: Dependencies): Generator<Check> {
  for (const [path, { version, integrity }] of Object.entries(all)) {
    const wanted = packages[path];
    const versionFault = wanted?.version === version ? null : `is ${version}`;
    const fault = wanted?.integrity === integrity ? versionFault : 'has another hash';
    yield [`installed ${path}`, wanted === undefined ? 'is not in the lockfile' : fault];
  }
  for (const folder of folders) {
    yield [`folder ${folder}`, packages[folder] === undefined ? 'is not in the lockfile' : null];
  }
}

function* files({ files: all }: Dependencies): Generator<Check> {
  for (const [name, wanted] of [
    ['package-lock.json', 'package-lock.json'],
    ['Cargo.lock', 'program/Cargo.lock'],
    ['.npmrc', '.npmrc'],
  ] as const) {
    const found = all.filter((path) => path === name || path.endsWith(`/${name}`)).join(', ');
    yield [`the one ${name}`, found === wanted ? null : `is ${found || 'nowhere'}`];
  }
  for (const path of all.filter((one) => OTHER_LOCKFILES.test(one))) {
    yield [path, 'is a second lockfile'];
  }
}

function* crates({ crates: all, ownCrates, cargoRequirements }: Dependencies): Generator<Check> {
  for (const crate of all) {
    yield [`crate ${crate['name']} ${crate['version']}`, crateFault(crate, ownCrates)];
  }
  for (const { crate, wants } of cargoRequirements) {
    const isExact = /^=\d+\.\d+\.\d+$/.test(wants);
    yield [`crate ${crate} in its manifest`, isExact ? null : `is wanted as ${wants}`];
  }
}

function crateFault({ name = '', source, checksum }: Crate, own: readonly string[]) {
  if (source === undefined) return own.includes(name) ? null : 'comes from a folder';
  if (source !== CRATES) return `comes from ${source}`;
  return /^[0-9a-f]{64}$/.test(checksum ?? '') ? null : 'has no checksum';
}

function* python({ requirements }: Dependencies): Generator<Check> {
  for (const line of requirements) {
    const unhashed = /--hash=sha256:[0-9a-f]{64}/.test(line) ? null : 'has no hash';
    const isExact = /^[\w.[\]-]+==[\w.]+[ ;]/.test(`${line} `);
    yield [`python: ${line.slice(0, 60)}`, isExact ? unhashed : 'is no exact version'];
  }
}

function* sbom(given: Dependencies): Generator<Check> {
  const listed = new Set(given.sbom.components.map(({ purl }) => purl));
  const wanted = new Set([
    ...Object.entries(given.packages)
      .filter(([path, { link }]) => !isOurs(path) && link !== true)
      .map(([path, { version }]) => `pkg:npm/${nameOf(path).replace('@', '%40')}@${version}`),
    ...given.crates
      .filter(({ source }) => source !== undefined)
      .map(({ name, version }) => `pkg:cargo/${name}@${version}`),
  ]);
  for (const purl of wanted) {
    yield [`bill of materials: ${purl}`, listed.has(purl) ? null : 'is missing'];
  }
  for (const purl of listed) {
    yield [`bill of materials: only ${purl}`, wanted.has(purl) ? null : 'is in no lockfile'];
  }
}
