import { randomBytes } from 'node:crypto';
import { Keypair } from '@solana/web3.js';
import { sql } from 'slonik';
import { beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { useTestDatabase } from '../../../tests/support/database/test-database.ts';
import { createKeystore } from './keystore.ts';
import { createOpenSessionKey } from './open-session-key.ts';
import { seal } from './seal.ts';

const sealingKey = { version: 2, key: randomBytes(32) };
const { key } = sealingKey;
const { db } = await useTestDatabase();
const openSessionKey = createOpenSessionKey({ keysOf: async () => [key] });
const keystore = createKeystore({ db, openSessionKey, sealingKey });
beforeEach(async () => {
  await db.query(sql.unsafe`delete from session_key`);
});

async function freeKeys(): Promise<readonly string[]> {
  return db.anyFirst(sql.type(z.object({ pubkey: z.string() }))`
    select pubkey from session_key where session_id is null
  `);
}

async function store(pubkey: string, sealed: Buffer, keyVersion = 2): Promise<void> {
  await db.query(sql.unsafe`
    insert into session_key (pubkey, sealed, key_version)
    values (${pubkey}, ${sql.binary(sealed)}, ${keyVersion})
  `);
}

describe('the refill', () => {
  test('creates exactly the missing keys', async () => {
    expect(await keystore.refill(5)).toBe(5);
    expect(await keystore.refill(5)).toBe(0);
    await db.query(sql.unsafe`
      update session_key set session_id = gen_random_uuid()
      where pubkey in (select pubkey from session_key limit 2)
    `);
    expect(await keystore.refill(5)).toBe(2);
    expect(await freeKeys()).toHaveLength(5);
  });

  test('removes no keys when there are more than requested', async () => {
    await keystore.refill(3);
    expect(await keystore.refill(1)).toBe(0);
    expect(await freeKeys()).toHaveLength(3);
  });

  test('creates distinct keys that load', async () => {
    await keystore.refill(4);
    const pubkeys = await freeKeys();
    expect(new Set(pubkeys).size).toBe(4);
    for (const pubkey of pubkeys) {
      const signer = await keystore.load(pubkey);
      expect(signer.address).toBe(pubkey);
      expect(await signer.sign(Buffer.from('bytes'))).toHaveLength(64);
    }
  });

  test('opens a key once', async () => {
    await keystore.refill(1);
    const [pubkey = ''] = await freeKeys();
    const signer = await keystore.load(pubkey);
    await db.query(sql.unsafe`delete from session_key`);
    expect(await keystore.load(pubkey)).toBe(signer);
  });

  test('stores each secret sealed by the data key only', async () => {
    await keystore.refill(1);
    const [pubkey = ''] = await freeKeys();
    const sealed = await db.oneFirst(sql.type(z.object({ sealed: z.instanceof(Buffer) }))`
      select sealed from session_key
    `);
    const { secretKey } = await openSessionKey(sealed, { pubkey, keyVersion: 2 });
    expect(sealed.includes(Buffer.from(secretKey.subarray(0, 16)))).toBe(false);
  });
});

describe('loading', () => {
  const mine = Keypair.generate();
  const pubkey = mine.publicKey.toBase58();
  const another = Keypair.generate();
  const context = { pubkey, keyVersion: 2 };
  const broken = Uint8Array.from(mine.secretKey);
  broken.set(another.secretKey.subarray(0, 32));

  test.each<[string, () => Promise<void>]>([
    ['a key that is not there', async () => {}],
    ['a row that holds another key', () => store(pubkey, seal(key, another.secretKey, context))],
    ['a row whose halves belong to two keys', () => store(pubkey, seal(key, broken, context))],
    [
      'a row that holds no key at all',
      () => store(pubkey, seal(key, Buffer.from('not a key'), context)),
    ],
    [
      'bytes that were sealed for another row',
      () =>
        store(
          pubkey,
          seal(key, mine.secretKey, { pubkey: another.publicKey.toBase58(), keyVersion: 2 }),
        ),
    ],
    ['a row whose version was changed', () => store(pubkey, seal(key, mine.secretKey, context), 3)],
    [
      'bytes that another key sealed',
      () => store(pubkey, seal(randomBytes(32), mine.secretKey, context)),
    ],
  ])('refuses %s', async (_case, prepare) => {
    await prepare();
    const fault: unknown = await keystore.load(pubkey).then(
      () => 'loaded',
      (error: unknown) => error,
    );
    expect(fault).toMatchObject({ code: 'KEYSTORE_UNAVAILABLE' });
    const said = String(fault instanceof Error ? [fault.message, fault.stack] : fault);
    for (const { secretKey } of [mine, another]) {
      const seed = Buffer.from(secretKey.subarray(0, 32));
      expect(said).not.toContain(seed.toString('hex'));
      expect(said).not.toContain(seed.toString('base64').slice(0, 40));
      expect(said).not.toContain([...seed].join(','));
    }
  });
});
