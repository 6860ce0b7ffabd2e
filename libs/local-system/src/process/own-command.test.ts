import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { StartError } from '../system/start-error.ts';
import { fillCommand } from './own-command.ts';

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'agent-wallet-command-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

test('variables are in a file for this user alone, and not among the arguments', () => {
  const folder = makeFolder();
  const env = { SECRET: 'a "b" $c', PORT: '1' };
  const process = { role: 'tx-worker', name: 'tx-worker-2', env };
  const filled = fillCommand(['run', '--name', 'one-{name}', '{env}', '{role}'], process, folder);
  const file = join(folder, 'tx-worker-2.env');
  expect(filled).toEqual(['run', '--name', 'one-tx-worker-2', file, 'tx-worker']);
  expect(readFileSync(file, 'utf8')).toBe('SECRET=a "b" $c\nPORT=1\n');
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('a value with a line break is refused by the name of its variable', () => {
  const process = { role: 'api', name: 'api', env: { KEYS: 'a\nB=c' } };
  expect(() => fillCommand(['{role}', '{env}'], process, makeFolder())).toThrow(StartError);
  expect(() => fillCommand(['{role}', '{env}'], process, makeFolder())).toThrow(/^KEYS has a line/);
});
