import { createHash, timingSafeEqual } from 'node:crypto';

/** The caller behind an Authorization header; null when it may not call. */
export type Authenticate = (authorization: string | undefined, address: string) => string | null;

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();

/**
 * With `keys`, a caller is the place of its bearer key; without, everyone may call, and a caller is
 * its address.
 */
export function createAuthenticate(keys: readonly string[] | undefined): Authenticate {
  if (keys === undefined) return (_authorization, address) => address;
  const digests = keys.map(digestOf);
  return (authorization) => {
    const key = /^Bearer (\S+)$/i.exec(authorization ?? '')?.[1];
    if (key === undefined) return null;
    const digest = digestOf(key);
    const place = digests.findIndex((known) => timingSafeEqual(known, digest));
    return place === -1 ? null : `key ${place}`;
  };
}
