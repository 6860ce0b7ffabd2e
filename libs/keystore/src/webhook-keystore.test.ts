import { randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'slonik';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { useTestDatabase } from '../../../tests/support/database/test-database.ts';
import { openWebhookKeystore } from './webhook-keystore.ts';
import { sealWebhookSecret } from './webhook-secret.ts';

const { db } = await useTestDatabase();
const key = randomBytes(32).toString('base64');
const SECRET = `whsec_${randomBytes(32).toString('base64')}`;

const readPublicKey = () =>
  db.oneFirst(sql.type(z.object({ publicKey: z.instanceof(Buffer) }))`
    select public_key as "publicKey" from webhook_key
  `);

test('a secret is sealed by the public key and opened by the process with the master key', async () => {
  // Of workers that start at once, all have the same key.
  const [keystore, ...others] = await Promise.all(
    [1, 2, 3].map(() => openWebhookKeystore({ db, key })),
  );
  const secretId = randomUUID();
  const sealed = sealWebhookSecret(await readPublicKey(), secretId, SECRET);
  expect(sealed.includes(SECRET)).toBe(false);
  expect(keystore?.open(secretId, sealed)).toBe(SECRET);
  expect(keystore?.open(secretId, sealed)).toBe(SECRET);
  for (const other of others) expect(other.open(secretId, sealed)).toBe(SECRET);
  const next = await openWebhookKeystore({ db, key });
  expect(next.open(secretId, sealed)).toBe(SECRET);
});

test('a secret that is moved to another id, or changed, does not open', async () => {
  const keystore = await openWebhookKeystore({ db, key });
  const secretId = randomUUID();
  const sealed = sealWebhookSecret(await readPublicKey(), secretId, SECRET);
  const denied = { code: 'KEYSTORE_UNAVAILABLE' };
  expect(() => keystore.open(randomUUID(), sealed)).toThrow(expect.objectContaining(denied));
  sealed[7] = (sealed[7] ?? 0) ^ 1;
  expect(() => keystore.open(secretId, sealed)).toThrow(expect.objectContaining(denied));
});

test('another master key opens nothing, and a bad one is named without its value', async () => {
  const other = randomBytes(32).toString('base64');
  await expect(openWebhookKeystore({ db, key: other })).rejects.toMatchObject({
    code: 'KEYSTORE_UNAVAILABLE',
  });
  await expect(openWebhookKeystore({ db, key: 'short' })).rejects.toThrow(/^(?!.*short)/);
});
