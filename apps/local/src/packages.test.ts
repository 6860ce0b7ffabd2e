import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { networkSentence, packagesMatchLockfile } from '../packages.mjs';

const root = mkdtempSync(join(tmpdir(), 'packages-'));
afterEach(() => rmSync(root, { recursive: true, force: true }));

type Packages = Record<string, { version: string; optional?: boolean }>;

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

test('an unreachable registry is one sentence, another failure of npm is not mistaken for it', () => {
  expect(networkSentence('npm error code EAI_AGAIN\nnpm error syscall getaddrinfo')).toBe(
    'The packages could not be installed: the npm registry was not reached (EAI_AGAIN).',
  );
  expect(networkSentence('npm error code EUSAGE')).toBeUndefined();
});
