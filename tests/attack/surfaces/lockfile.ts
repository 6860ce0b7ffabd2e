import { checkDependencies } from '../dependencies/checks.ts';
import { type Dependencies, readDependencies } from '../dependencies/snapshot.ts';
import { createCases, type Surface } from '../surface.ts';

const HASH = 'sha512-';
const SOME_NPM = 'node_modules/zod';

/** What each mutant changes in the data that was read; the files stay as they are. */
const MUTANTS: Readonly<Record<string, (given: Dependencies) => void>> = {
  'a-package-from-git': ({ packages }) => {
    packages['node_modules/planted'] = {
      version: '1.0.0',
      integrity: `${HASH}${'a'.repeat(86)}==`,
      resolved: 'git+ssh://git@example.com/planted.git',
    };
  },
  'a-package-without-hash': ({ packages }) => {
    packages[SOME_NPM] = { ...packages[SOME_NPM], integrity: undefined };
  },
  'an-optional-package-without-hash': ({ packages }) => {
    packages['node_modules/planted'] = {
      version: '1.0.0',
      optional: true,
      os: 'linux',
      cpu: 'x64',
    };
  },
  'a-range-of-versions': ({ manifests }) => {
    const { devDependencies = {} } = manifests['package.json'] ?? {};
    devDependencies['zod'] = '^4';
  },
  'install-scripts-run': ({ npmrc }) => void npmrc.splice(npmrc.indexOf('ignore-scripts=true'), 1),
  'another-registry': ({ npmrc }) => void npmrc.push('registry=https://packages.example.com/'),
  'a-script-in-no-list': ({ packages }) => {
    packages[SOME_NPM] = { ...packages[SOME_NPM], hasInstallScript: true };
  },
  'a-package-besides': ({ folders }) => void folders.push('node_modules/zod/node_modules/planted'),
  'a-second-lockfile': ({ files }) => void files.push('apps/api/yarn.lock'),
  'a-crate-without-checksum': ({ crates }) => {
    crates.push({ name: 'planted', version: '1.0.0', source: crates.at(-1)?.['source'] ?? '' });
  },
  'a-crate-in-a-range': ({ cargoRequirements }) =>
    void cargoRequirements.push({ crate: 'planted', wants: '1' }),
  'a-python-package-without-hash': ({ requirements }) => void requirements.push('planted==1.0.0'),
  'a-package-left-out-of-the-bill': ({ sbom }) => void sbom.components.pop(),
};

/** Supply chain: all foreign code comes from a registry and is pinned by its hash. */
export const lockfile: Surface = {
  name: 'lockfile',
  leastCases: 3_000,
  mutants: Object.keys(MUTANTS),
  attack: async ({ mutant }) => {
    const cases = createCases();
    const given = await readDependencies();
    if (mutant !== null) MUTANTS[mutant]?.(given);
    await checkDependencies(cases, given);
    return cases.report();
  },
};
