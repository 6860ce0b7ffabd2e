import { packagesWithoutHash } from '../../../apps/local/packages.mjs';
import type { Cases } from '../surface.ts';
import type { Dependencies, LockEntry } from './snapshot.ts';

const REGISTRY = 'https://registry.npmjs.org/';
const CRATES = 'registry+https://github.com/rust-lang/crates.io-index';
const EXACT = /^\d+\.\d+\.\d+(?:-[\w.]+)?$/;
const SHA512 = /^sha512-[A-Za-z0-9+/]{86}==$/;
/** npm settings that redirect packages or run their scripts. */
const REDIRECTS = /registry|proxy|cafile|_auth|script-shell|git|strict-ssl/i;
const OTHER_LOCKFILES =
  /(?:^|\/)(?:yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|npm-shrinkwrap\.json|poetry\.lock|Pipfile\.lock|uv\.lock)$/;

/** Checks every way by which foreign code could enter unseen. */
export async function checkDependencies(cases: Cases, given: Dependencies): Promise<void> {
  await checkLockfile(cases, given);
  await checkManifests(cases, given);
  await checkScripts(cases, given);
  await checkInstalled(cases, given);
  await checkFiles(cases, given);
  await checkCrates(cases, given);
  await checkPython(cases, given);
  await checkSbom(cases, given);
}

const isOurs = (path: string): boolean => !path.includes('node_modules/');
const nameOf = (path: string): string => path.slice(path.lastIndexOf('node_modules/') + 13);

async function checkLockfile(cases: Cases, { packages, root }: Dependencies): Promise<void> {
  for (const [path, entry] of Object.entries(packages)) {
    await cases.try(`${path}: where it comes from`, () => sourceFault(entry));
    if (isOurs(path) || entry.link === true) continue;
    await cases.try(`${path}: its hash`, () => {
      if (entry.integrity !== undefined) return SHA512.test(entry.integrity) ? null : 'is weak';
      return isRefusedByLauncher(root, path, entry) ? null : 'is missing';
    });
    await cases.try(`${path}: its version`, () =>
      EXACT.test(entry.version ?? '') ? null : `is ${entry.version}`,
    );
  }
}

function sourceFault({ resolved, link }: LockEntry): string | null {
  if (link === true) return resolved !== undefined && isOurs(resolved) ? null : `is ${resolved}`;
  if (resolved === undefined) return null;
  return resolved.startsWith(REGISTRY) && resolved.endsWith('.tgz') ? null : `is ${resolved}`;
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

async function checkManifests(cases: Cases, { manifests }: Dependencies): Promise<void> {
  const own = new Set(Object.values(manifests).map(({ name }) => name));
  for (const [path, manifest] of Object.entries(manifests)) {
    const { dependencies, devDependencies, optionalDependencies, peerDependencies } = manifest;
    for (const [name, wants] of Object.entries({
      ...peerDependencies,
      ...optionalDependencies,
      ...devDependencies,
      ...dependencies,
    })) {
      await cases.try(`${path}: ${name}`, () =>
        EXACT.test(wants) || (own.has(name) && wants === '*') ? null : `is wanted as ${wants}`,
      );
    }
  }
}

async function checkScripts(cases: Cases, given: Dependencies): Promise<void> {
  const { npmrc, packages, manifests } = given;
  const { allowScripts = {} } = manifests['package.json'] ?? {};
  await cases.try('npm: install scripts', () =>
    npmrc.includes('ignore-scripts=true') ? null : 'are run',
  );
  for (const line of npmrc) {
    await cases.try(`npm: ${line}`, () =>
      REDIRECTS.test(line.replace('omit-lockfile-registry-resolved', '')) ? 'redirects' : null,
    );
  }
  const scripted = new Set(
    Object.entries(packages)
      .filter(([, { hasInstallScript }]) => hasInstallScript === true)
      .map(([path]) => nameOf(path)),
  );
  for (const name of new Set([...scripted, ...Object.keys(allowScripts)])) {
    await cases.try(`the install script of ${name}`, () => {
      if (allowScripts[name] === undefined) return 'is in no list';
      if (allowScripts[name]) return 'is allowed';
      return scripted.has(name) ? null : 'is listed and not there';
    });
  }
}

async function checkInstalled(cases: Cases, given: Dependencies): Promise<void> {
  const { installed, packages, folders } = given;
  for (const [path, { version, integrity }] of Object.entries(installed)) {
    await cases.try(`installed ${path}`, () => {
      const wanted = packages[path];
      if (wanted === undefined) return 'is not in the lockfile';
      if (wanted.integrity !== integrity) return 'has another hash';
      return wanted.version === version ? null : `is ${version}`;
    });
  }
  for (const folder of folders) {
    await cases.try(`folder ${folder}`, () =>
      packages[folder] === undefined ? 'is not in the lockfile' : null,
    );
  }
}

async function checkFiles(cases: Cases, { files }: Dependencies): Promise<void> {
  for (const [name, wanted] of [
    ['package-lock.json', 'package-lock.json'],
    ['Cargo.lock', 'program/Cargo.lock'],
    ['.npmrc', '.npmrc'],
  ] as const) {
    const found = files.filter((path) => path === name || path.endsWith(`/${name}`));
    await cases.try(`the one ${name}`, () =>
      found.join() === wanted ? null : `is ${found.join(', ') || 'nowhere'}`,
    );
  }
  for (const path of files.filter((one) => OTHER_LOCKFILES.test(one))) {
    await cases.try(path, () => 'is a second lockfile');
  }
}

async function checkCrates(cases: Cases, given: Dependencies): Promise<void> {
  const { crates, ownCrates, cargoRequirements } = given;
  for (const { name = '', version, source, checksum } of crates) {
    await cases.try(`crate ${name} ${version}`, () => {
      if (source === undefined) return ownCrates.includes(name) ? null : 'comes from a folder';
      if (source !== CRATES) return `comes from ${source}`;
      return /^[0-9a-f]{64}$/.test(checksum ?? '') ? null : 'has no checksum';
    });
  }
  for (const { crate, wants } of cargoRequirements) {
    await cases.try(`crate ${crate} in its manifest`, () =>
      /^=\d+\.\d+\.\d+$/.test(wants) ? null : `is wanted as ${wants}`,
    );
  }
}

async function checkPython(cases: Cases, { requirements }: Dependencies): Promise<void> {
  for (const line of requirements) {
    await cases.try(`python: ${line.slice(0, 60)}`, () => {
      if (!/^[\w.[\]-]+==[\w.]+[ ;]/.test(`${line} `)) return 'is no exact version';
      return /--hash=sha256:[0-9a-f]{64}/.test(line) ? null : 'has no hash';
    });
  }
}

async function checkSbom(cases: Cases, given: Dependencies): Promise<void> {
  const listed = new Set(given.sbom.components.map(({ purl }) => purl));
  const wanted = [
    ...Object.entries(given.packages)
      .filter(([path, { link }]) => !isOurs(path) && link !== true)
      .map(([path, { version }]) => `pkg:npm/${nameOf(path).replace('@', '%40')}@${version}`),
    ...given.crates
      .filter(({ source }) => source !== undefined)
      .map(({ name, version }) => `pkg:cargo/${name}@${version}`),
  ];
  for (const purl of new Set(wanted)) {
    await cases.try(`bill of materials: ${purl}`, () => (listed.has(purl) ? null : 'is missing'));
  }
  const all = new Set(wanted);
  for (const purl of listed) {
    await cases.try(`bill of materials: only ${purl}`, () =>
      all.has(purl) ? null : 'is in no lockfile',
    );
  }
}
