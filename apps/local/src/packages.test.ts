import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { networkSentence, packagesMatchLockfile, packagesWithoutHash } from '../packages.mjs';

const root = mkdtempSync(join(tmpdir(), 'packages-'));
afterEach(() => rmSync(root, { recursive: true, force: true }));

type Packages = Record<
  string,
  {
    version: string;
    optional?: boolean;
    integrity?: string;
    os?: string[] | string;
    cpu?: string[];
  }
>;

function clone(wanted: Packages, installed?: Packages): string {
  mkdirSync(join(root, 'node_modules'), { recursive: true });
  writeFileSync(join(root, 'package-lock.json'), JSON.stringify({ packages: wanted }));
  if (installed !== undefined) {
    const file = join(root, 'node_modules', '.package-lock.json');
    writeFileSync(file, JSON.stringify({ packages: installed }));
  }
  return root;
}

const one = { 'node_modules/one': { version: '1.0.0' } };

test('a clone without node_modules does not match its lockfile', () => {
  expect(packagesMatchLockfile(clone(one))).toBe(false);
});

test('installed packages match when versions are equal and only optional ones are missing', () => {
  const other = { 'node_modules/other-platform': { version: '1.0.0', optional: true } };
  expect(packagesMatchLockfile(clone({ ...one, ...other }, one))).toBe(true);
});

test('a package that is missing or of another version does not match', () => {
  expect(packagesMatchLockfile(clone(one, {}))).toBe(false);
  expect(packagesMatchLockfile(clone(one, { 'node_modules/one': { version: '2.0.0' } }))).toBe(
    false,
  );
});

test('packages without a hash are listed for the platform that would install them', () => {
  const version = '1.0.0';
  const made = clone({
    'node_modules/hashed': { version, integrity: 'sha512-x' },
    'node_modules/bare': { version },
    'node_modules/@for/mac': { version, os: ['darwin'], cpu: ['arm64'] },
    'node_modules/one/node_modules/for-linux': { version, os: 'linux' },
    'libs/own': { version },
  });
  const on = (platform: string, arch: string) => packagesWithoutHash(made, { platform, arch });
  expect(on('darwin', 'arm64')).toEqual(['bare', '@for/mac']);
  expect(on('darwin', 'x64')).toEqual(['bare']);
  expect(on('linux', 'x64')).toEqual(['bare', 'for-linux']);
});

test('this clone installs nothing without a hash on Linux', () => {
  const repository = fileURLToPath(new URL('../../../', import.meta.url));
  expect(packagesWithoutHash(repository, { platform: 'linux', arch: 'x64' })).toEqual([]);
});

test('an unreachable registry is one sentence; other failures of npm are not mistaken for it', () => {
  expect(networkSentence('npm error code EAI_AGAIN\nnpm error syscall getaddrinfo')).toBe(
    'The packages could not be installed: the npm registry is unreachable (EAI_AGAIN).',
  );
  expect(networkSentence('npm error code EUSAGE')).toBeUndefined();
});
