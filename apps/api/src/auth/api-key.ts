import { createHmac, randomBytes } from 'node:crypto';

/** Prefixes that every deployment knows: those of the test network and of the main network. */
const KNOWN_PREFIXES = ['svc_dev_', 'svc_prod_'] as const;

/** The beginning of a key, by the cluster of the deployment; see ../chain/network.ts. */
export type KeyPrefix = (typeof KNOWN_PREFIXES)[number] | 'svc_test_';

/** Whose key a token is by its beginning. */
export type KeyForm = 'ours' | 'another cluster' | 'no key';

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

/** Anything beyond a token's beginning needs the key's hash. */
export function keyFormOf(token: string, prefix: KeyPrefix): KeyForm {
  if (token.startsWith(prefix)) return 'ours';
  return KNOWN_PREFIXES.some((known) => token.startsWith(known)) ? 'another cluster' : 'no key';
}
