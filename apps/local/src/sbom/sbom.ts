import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const packageLock = z.object({
  name: z.string(),
  version: z.string(),
  packages: z.record(
    z.string(),
    z.object({
      version: z.string().optional(),
      integrity: z.string().optional(),
      link: z.boolean().optional(),
      dev: z.boolean().optional(),
      license: z.string().optional(),
    }),
  ),
});

type Component = {
  readonly type: 'library';
  readonly 'bom-ref': string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  /** `excluded` for packages that only build and test. */
  readonly scope: 'required' | 'excluded';
  readonly hashes?: readonly { readonly alg: 'SHA-512' | 'SHA-256'; readonly content: string }[];
  readonly licenses?: readonly { readonly expression: string }[];
};

/** A bill of materials as CycloneDX 1.6. */
export type Sbom = {
  readonly bomFormat: 'CycloneDX';
  readonly specVersion: '1.6';
  readonly serialNumber: string;
  readonly version: 1;
  readonly metadata: {
    readonly component: {
      readonly type: 'application';
      readonly name: string;
      readonly version: string;
    };
  };
  readonly components: Component[];
};

/**
 * The bill of materials of the repository at `root`: each npm package and crate of both lockfiles,
 * including those for other platforms. The same lockfiles give the same bytes. (`npm sbom` fails
 * while a package requires another version of a peer.)
 */
export async function makeSbom(root: string): Promise<Sbom> {
  const lock = packageLock.parse(
    JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')),
  );
  const cargo = await readFile(join(root, 'program', 'Cargo.lock'), 'utf8');
  const byRef = new Map<string, Component>();
  for (const component of [...npmComponents(lock), ...cargoComponents(cargo)]) {
    const known = byRef.get(component.purl);
    // A package may be installed in several places: it is required when one of them requires it.
    if (known?.scope !== 'required') byRef.set(component.purl, component);
  }
  const components = [...byRef.values()].toSorted((a, b) => (a.purl < b.purl ? -1 : 1));
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify(components))}`,
    version: 1,
    metadata: { component: { type: 'application', name: lock.name, version: lock.version } },
    components,
  };
}

function npmComponents({ packages }: z.output<typeof packageLock>): Component[] {
  return Object.entries(packages)
    .filter(([path, { link }]) => path.includes('node_modules/') && link !== true)
    .map(([path, entry]) => {
      const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
      const { version = '', integrity, license } = entry;
      const base64 = integrity?.replace(/^sha512-/, '');
      return {
        ...identify('npm', name, version),
        scope: entry.dev === true ? 'excluded' : 'required',
        ...(base64 === undefined
          ? {}
          : {
              hashes: [{ alg: 'SHA-512', content: Buffer.from(base64, 'base64').toString('hex') }],
            }),
        ...(license === undefined ? {} : { licenses: [{ expression: license }] }),
      };
    });
}

function cargoComponents(lock: string): Component[] {
  const [, ...blocks] = lock.split('[[package]]');
  return blocks
    .filter((block) => field(block, 'source') !== undefined)
    .map((block) => ({
      ...identify('cargo', field(block, 'name') ?? '', field(block, 'version') ?? ''),
      scope: 'required',
      hashes: [{ alg: 'SHA-256', content: field(block, 'checksum') ?? '' }],
    }));
}

function field(block: string, name: string): string | undefined {
  return new RegExp(`^${name} = "([^"]*)"$`, 'm').exec(block)?.[1];
}

function identify(kind: 'npm' | 'cargo', name: string, version: string) {
  const purl = `pkg:${kind}/${name.replace('@', '%40')}@${version}`;
  return { type: 'library', 'bom-ref': purl, name, version, purl } as const;
}

/** A UUID derived from the content, so that the file is deterministic. */
function uuidOf(content: string): string {
  const hex = createHash('sha256').update(content).digest('hex');
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 3) | 8).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}
