import { randomBytes } from 'node:crypto';
import { claimDeployment } from '@agent-wallet/db';
import { sql } from 'slonik';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { useTestDatabase } from '../../../tests/support/database/test-database.ts';
import { openKeystore } from './open-keystore.ts';

const newKey = (): string => randomBytes(32).toString('base64');
const key = newKey();
const { db } = await useTestDatabase();
beforeAll(async () => {
  const deployment = { genesisHash: 'local', programId: 'program', usdcMint: 'mint' };
  await claimDeployment(db, deployment, { allowMainnet: false });
});
beforeEach(async () => {
  await db.query(sql.unsafe`delete from session_key`);
  await db.query(sql.unsafe`update deployment set keystore_refused_at = null`);
});

/** The state some seconds from now, unless a worker with a fitting key starts before. */
async function fitsLater(): Promise<boolean> {
  await db.query(sql.unsafe`
    update deployment set keystore_refused_at = keystore_refused_at - interval '6 seconds'
  `);
  return db.oneFirst(sql.type(z.object({ fits: z.boolean() }))`select keystore_fits() as fits`);
}

test('the key that sealed the session keys opens the keystore; before the first one, any key does', async () => {
  await (await openKeystore({ db, key })).refill(3);
  await openKeystore({ db, key });
  expect(await fitsLater()).toBe(true);
});

test.each([
  ['another key', newKey()],
  ['no key', ''],
  ['a key that is too short', randomBytes(31).toString('base64')],
])('%s is refused, and the database records it until a key fits', async (_case, wrong) => {
  await (await openKeystore({ db, key })).refill(3);
  const opening = openKeystore({ db, key: wrong });
  await expect(opening).rejects.toMatchObject({ code: 'SERVER_MISCONFIGURED' });
  expect(await fitsLater()).toBe(false);

  await (await openKeystore({ db, key })).refill(3);
  expect(await fitsLater()).toBe(true);
});

test('the record of a worker with a wrong key is cleared by one with the right key', async () => {
  const keystore = await openKeystore({ db, key });
  await keystore.refill(1);
  await expect(openKeystore({ db, key: newKey() })).rejects.toThrow('KEYSTORE_KEY');
  const fitsNow = await db.oneFirst(sql.type(z.object({ fits: z.boolean() }))`
    select keystore_fits() as fits
  `);
  expect(fitsNow).toBe(true);
  await keystore.refill(1);
  expect(await fitsLater()).toBe(true);
});

test('one damaged row among intact ones is not a wrong key', async () => {
  await (await openKeystore({ db, key })).refill(2);
  await db.query(sql.unsafe`
    insert into session_key (pubkey, sealed, key_version, created_at)
    values ('damaged', ${sql.binary(randomBytes(92))}, 1, now() + interval '1 minute')
  `);
  await openKeystore({ db, key });
  expect(await fitsLater()).toBe(true);
});
