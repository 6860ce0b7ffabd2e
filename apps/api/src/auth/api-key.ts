import { createHmac, randomBytes } from 'node:crypto';

/** Prefixes of agents' keys: test network and main network. */
const KEY_PREFIXES = ['svc_dev_', 'svc_prod_'] as const;

export type KeyPrefix = (typeof KEY_PREFIXES)[number];

/** Characters of a key that are stored in clear text, so that an owner can tell keys apart. */
const SHOWN_CHARS = 4;

/** A new agent's key. `apiKey` is shown once and never stored. */
export type IssuedKey = {
  readonly apiKey: string;
  readonly keyHash: Buffer;
  readonly keyPrefix: string;
};

/** Makes a key of 256 random bits. */
export function issueKey(prefix: KeyPrefix, pepper: string): IssuedKey {
  const apiKey = `${prefix}${randomBytes(32).toString('base64url')}`;
  return {
    apiKey,
    keyHash: hashKey(apiKey, pepper),
    keyPrefix: apiKey.slice(0, prefix.length + SHOWN_CHARS),
  };
}

/** The stored form of a key: its HMAC-SHA-256 under the pepper, which is not in the database. */
export function hashKey(apiKey: string, pepper: string): Buffer {
  return createHmac('sha256', pepper).update(apiKey, 'utf8').digest();
}

/** Whether the token has the prefix of an agent's key. Any other property needs the key's hash. */
export function hasKeyFormat(token: string): boolean {
  return KEY_PREFIXES.some((prefix) => token.startsWith(prefix));
}
