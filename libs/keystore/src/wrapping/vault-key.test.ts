import { randomBytes } from 'node:crypto';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { startVaultServer } from '../../../signer/fixtures/vault-server.ts';
import { createVaultKey } from './vault-key.ts';

const vault = await startVaultServer({});
afterAll(() => vault[Symbol.asyncDispose]());
beforeEach(() => {
  vault.mode = 'working';
});
const key = createVaultKey('keystore', vault);
const dataKey = randomBytes(32);
const UNAVAILABLE = {
  code: 'KEYSTORE_UNAVAILABLE',
  context: { service: 'Vault', key: 'keystore' },
};

test('Vault unwraps what it has wrapped, for the same version only', async () => {
  const wrapped = await key.wrap(dataKey, 2);
  expect(wrapped.includes(dataKey)).toBe(false);
  expect(await key.unwrap(wrapped, 2)).toEqual(dataKey);
  await expect(key.unwrap(wrapped, 3)).rejects.toMatchObject(UNAVAILABLE);
});

test('the fault of a sealed Vault names the service, not the key as wrong', async () => {
  const wrapped = await key.wrap(dataKey, 2);
  vault.mode = 503;
  await expect(key.unwrap(wrapped, 2)).rejects.toMatchObject(UNAVAILABLE);
});

test('the URL of Vault may end with a slash', async () => {
  const behind = createVaultKey('keystore', { url: `${vault.url}/`, token: vault.token });
  expect(await behind.unwrap(await key.wrap(dataKey, 2), 2)).toEqual(dataKey);
});
