import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { findRunningSystem } from './running-system.ts';

const dir = mkdtempSync(join(tmpdir(), 'running-'));
afterAll(() => rmSync(dir, { recursive: true }));

test('the file of a killed start does not count as a running system and is removed', async () => {
  const nowhere = 'http://127.0.0.1:1/';
  const pages = { api: nowhere, dashboard: nowhere, faucet: nowhere, reserve: nowhere };
  const urls = { ...pages, rpc: nowhere, ws: nowhere, processes: {}, metrics: {} };
  const file = join(dir, 'system.json');
  const logins = { api: '', 'tx-worker': '', 'confirm-worker': '', operator: '', auditor: '' };
  const facts = {
    databaseUrl: '',
    databaseUrls: logins,
    programId: '',
    usdcMint: '',
    paidServices: [],
  };
  const left = { pid: process.pid, urls, ...facts };
  writeFileSync(file, JSON.stringify(left));
  expect(await findRunningSystem(dir)).toBeUndefined();
  expect(existsSync(file)).toBe(false);
});
