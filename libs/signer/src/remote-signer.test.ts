import { inspect } from 'node:util';
import { Keypair } from '@solana/web3.js';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { startVaultServer } from '../fixtures/vault-server.ts';
import { createLocalSigner } from './local-signer.ts';
import { createRemoteSigner } from './remote-signer.ts';

const keypair = Keypair.generate();
const address = keypair.publicKey.toBase58();
const bytes = Buffer.from('the bytes of a message');
const vault = await startVaultServer({ payer: keypair, another: Keypair.generate() });
afterAll(() => vault[Symbol.asyncDispose]());
beforeEach(() => {
  vault.mode = 'working';
});

const signerOf = (key: string, access = vault) =>
  createRemoteSigner({ kind: 'vault', key, address }, { url: access.url, token: access.token });

const UNAVAILABLE = { code: 'KEYSTORE_UNAVAILABLE', context: { address } };

test('a key in Vault signs as the same key in this process', async () => {
  const signer = await signerOf('payer');
  expect(signer.address).toBe(address);
  const signature = await signer.sign(bytes);
  const here = await createLocalSigner(keypair).sign(bytes);
  expect(Buffer.from(signature)).toEqual(Buffer.from(here));
});

test('a signature by another key is never returned', async () => {
  await expect((await signerOf('another')).sign(bytes)).rejects.toMatchObject({
    ...UNAVAILABLE,
    context: { address, reason: 'the signature is not one of this address' },
  });
});

test.each([
  ['sealed', 503],
  ['silent', 'silent'],
] as const)(
  'while Vault is %s the key is unavailable, and afterwards it signs',
  async (_c, mode) => {
    const signer = await signerOf('payer');
    vault.mode = mode;
    await expect(signer.sign(bytes)).rejects.toMatchObject(UNAVAILABLE);
    vault.mode = 'working';
    expect(await signer.sign(bytes)).toHaveLength(64);
  },
);

test('a refused token makes the key unavailable, and no error contains it', async () => {
  const token = 'a-wrong-token';
  const signer = await createRemoteSigner(
    { kind: 'vault', key: 'payer', address },
    { url: vault.url, token },
  );
  const error: unknown = await signer.sign(bytes).catch((fault: unknown) => fault);
  expect(error).toMatchObject(UNAVAILABLE);
  expect(inspect(error, { depth: 9 })).not.toContain(token);
});

test('a key in Vault requires access to Vault', async () => {
  const opening = createRemoteSigner({ kind: 'vault', key: 'payer', address }, null);
  await expect(opening).rejects.toThrow('VAULT_ADDR');
});

test('a key of AWS KMS that cannot be reached is unavailable', async () => {
  const keyId = 'alias/payer';
  const signer = await createRemoteSigner(
    { kind: 'aws-kms', keyId, address, region: 'local' },
    null,
  );
  await expect(signer.sign(bytes)).rejects.toMatchObject(UNAVAILABLE);
});
