import { AppError } from '@agent-wallet/errors';
import {
  awsKmsKeySchema,
  noVaultAccess,
  type VaultAccess,
  vaultKeySchema,
} from '@agent-wallet/signer';
import { z } from 'zod';
import { parseMasterKey } from '../master-key.ts';
import { openAwsKmsKey } from './aws-kms-key.ts';
import { createLocalKey } from './local-key.ts';
import { createVaultKey } from './vault-key.ts';
import type { WrappingKey } from './wrapping-key.ts';

const remote = z.discriminatedUnion('kind', [vaultKeySchema, awsKmsKeySchema]);
const list = z.array(z.union([z.string(), remote])).max(16);

/** The keys of the keystore as the settings name them. */
export type KeystoreKeys = {
  /** KEYSTORE_KEY: base64 of 32 bytes, or a JSON object that names a key in Vault or AWS KMS. */
  readonly key: string;
  /** KEYSTORE_OTHER_KEYS: a JSON array of further keys, which open what they sealed. */
  readonly otherKeys?: string | undefined;
  readonly vault?: VaultAccess | null;
};

/** The wrapping keys; the first one seals. Throws SERVER_MISCONFIGURED without echoing a key. */
export async function openWrappingKeys(
  keys: KeystoreKeys,
): Promise<readonly [WrappingKey, ...WrappingKey[]]> {
  const { key, otherKeys = '[]', vault = null } = keys;
  const first = key.trimStart().startsWith('{') ? parse(remote, key, 'KEYSTORE_KEY') : key;
  const others = parse(list, otherKeys, 'KEYSTORE_OTHER_KEYS');
  return [
    await openWrappingKey(first, 'KEYSTORE_KEY', vault),
    ...(await Promise.all(
      others.map((other) => openWrappingKey(other, 'KEYSTORE_OTHER_KEYS', vault)),
    )),
  ];
}

async function openWrappingKey(
  key: string | z.output<typeof remote>,
  variable: string,
  vault: VaultAccess | null,
): Promise<WrappingKey> {
  if (typeof key === 'string') return createLocalKey(parseMasterKey(key, variable));
  switch (key.kind) {
    case 'vault':
      if (vault === null) throw noVaultAccess();
      return createVaultKey(key.key, vault);
    case 'aws-kms':
      return openAwsKmsKey(key);
  }
}

function parse<Schema extends z.ZodType>(
  schema: Schema,
  text: string,
  variable: string,
): z.output<Schema> {
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    const reason = `${variable} must be base64 of exactly 32 bytes, or name a key as {"kind":"vault","key":"…"} or {"kind":"aws-kms","keyId":"…"}`;
    throw new AppError('SERVER_MISCONFIGURED', { reason });
  }
}
