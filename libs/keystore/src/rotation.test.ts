import { randomBytes } from 'node:crypto';
import { claimDeployment } from '@agent-wallet/db';
import { Keypair } from '@solana/web3.js';
import { sql } from 'slonik';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { useTestDatabase } from '../../../tests/support/database/test-database.ts';
import type { Keystore } from './keystore.ts';
import { openKeystore } from './open-keystore.ts';
import { seal } from './seal.ts';

const newKey = (): string => randomBytes(32).toString('base64');
const [oldKey, key] = [newKey(), newKey()];
const { db } = await useTestDatabase();
beforeAll(async () => {
  const deployment = { genesisHash: 'local', programId: 'program', usdcMint: 'mint' };
  await claimDeployment(db, deployment, { allowMainnet: false });
});
beforeEach(async () => {
  await db.query(sql.unsafe`delete from session_key`);
  await db.query(sql.unsafe`delete from data_key`);
});

const withBoth = () => openKeystore({ db, key, otherKeys: JSON.stringify([oldKey]) });

const pubkeys = () =>
  db.anyFirst(sql.type(z.object({ pubkey: z.string() }))`select pubkey from session_key`);

const versions = () =>
  db.anyFirst(sql.type(z.object({ version: z.number() }))`
    select distinct key_version as version from session_key order by 1
  `);

/** Seals all again; returns how many were, and how many did not open. */
async function resealAll(keystore: Keystore): Promise<readonly [number, number]> {
  let [resealed, unopened, after]: [number, number, string | null] = [0, 0, ''];
  while (after !== null) {
    const page: Awaited<ReturnType<Keystore['reseal']>> = await keystore.reseal(after);
    resealed += page.resealed;
    unopened += page.unopened;
    after = page.next;
  }
  return [resealed, unopened];
}

async function loadAll(keystore: Keystore): Promise<void> {
  for (const pubkey of await pubkeys()) {
    expect((await keystore.load(pubkey)).address).toBe(pubkey);
  }
}

test('a change of the key seals every session key again, and the old key then opens none', async () => {
  await (await openKeystore({ db, key: oldKey })).refill(450);
  const keystore = await withBoth();
  await loadAll(keystore);
  expect(await versions()).toEqual([2]);
  expect(await resealAll(keystore)).toEqual([450, 0]);
  expect(await versions()).toEqual([3]);
  expect(await resealAll(keystore)).toEqual([0, 0]);
  await loadAll(await openKeystore({ db, key }));
  await expect(openKeystore({ db, key: oldKey })).rejects.toThrow('KEYSTORE_KEY');
});

test('what the key sealed itself, before there were data keys, is sealed again', async () => {
  const keypair = Keypair.generate();
  const pubkey = keypair.publicKey.toBase58();
  const sealed = seal(Buffer.from(oldKey, 'base64'), keypair.secretKey, { pubkey, keyVersion: 1 });
  await db.query(sql.unsafe`
    insert into session_key (pubkey, sealed, key_version) values (${pubkey}, ${sql.binary(sealed)}, 1)
  `);
  const keystore = await openKeystore({ db, key: oldKey });
  await loadAll(keystore);
  expect(await resealAll(keystore)).toEqual([1, 0]);
  expect(await versions()).toEqual([2]);
  await loadAll(await openKeystore({ db, key: oldKey }));
});

test('a worker that does not know the new key keeps what it has and signs nothing else', async () => {
  const behind = await openKeystore({ db, key: oldKey });
  await behind.refill(1);
  const [first = ''] = await pubkeys();
  const keystore = await withBoth();
  await keystore.refill(2);
  const [fresh = ''] = (await pubkeys()).filter((pubkey) => pubkey !== first);
  expect((await behind.load(first)).address).toBe(first);
  await expect(behind.load(fresh)).rejects.toMatchObject({ code: 'KEYSTORE_UNAVAILABLE' });
  await expect(behind.load(fresh)).rejects.toMatchObject({ code: 'KEYSTORE_UNAVAILABLE' });
  // It may still create keys, which the others open and seal again.
  await behind.refill(3);
  await loadAll(keystore);
  expect(await resealAll(keystore)).toEqual([2, 0]);
  expect(await resealAll(behind)).toEqual([0, 0]);
});

test('two workers that start at once share a data key', async () => {
  const keystores = await Promise.all([0, 1, 2, 3].map(() => openKeystore({ db, key })));
  for (const [n, keystore] of keystores.entries()) await keystore.refill(n + 1);
  for (const keystore of keystores) await loadAll(keystore);
  expect(await versions()).toEqual([2]);
});

test('a damaged key does not keep the others from being sealed again', async () => {
  await (await openKeystore({ db, key: oldKey })).refill(3);
  await db.query(sql.unsafe`
    update session_key set sealed = ${sql.binary(randomBytes(92))}
    where pubkey = (select min(pubkey) from session_key)
  `);
  expect(await resealAll(await withBoth())).toEqual([2, 1]);
  expect(await versions()).toEqual([2, 3]);
});

test.each([
  ['KEYSTORE_OTHER_KEYS', 'not json'],
  ['KEYSTORE_OTHER_KEYS', '["c2hvcnQ="]'],
  ['KEYSTORE_OTHER_KEYS', '[{"kind":"vault","key":"../sys"}]'],
])('%s=%s is refused by name', async (variable, otherKeys) => {
  const opening = openKeystore({ db, key, otherKeys });
  await expect(opening).rejects.toMatchObject({ code: 'SERVER_MISCONFIGURED' });
  await expect(opening).rejects.toThrow(variable);
});

test('a key in Vault requires access to Vault', async () => {
  const opening = openKeystore({ db, key: '{"kind":"vault","key":"keystore"}' });
  await expect(opening).rejects.toThrow('VAULT_ADDR');
});
