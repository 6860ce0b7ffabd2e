import { createHmac, createSign, generateKeyPairSync, randomUUID } from 'node:crypto';
import { Keypair } from '@solana/web3.js';
import { sql } from 'slonik';
import { z } from 'zod';
import { signIn } from '../../../support/http/sign-in.ts';
import type { Part } from '../../parts.ts';
import { send } from '../../plain-http.ts';
import type { BrowserWorld } from './world.ts';

type Claims = Readonly<Record<string, unknown>>;
type Forge = (claims: Claims, secret: string) => string;

const HOUR = 3_600;
const now = (): number => Math.floor(Date.now() / 1_000);

/** Unsigned tokens, tokens signed with other keys, and tokens of other owners. */
export const tokens: Part<BrowserWorld> = {
  shows: ['ended-cookies-live'],
  attack: async (cases, world) => {
    const { api, cookieSecret, db, owner } = world;
    const { ownerSessionId } = await db.one(sql.type(z.object({ ownerSessionId: z.string() }))`
      select owner_session_id as "ownerSessionId" from owner_session
      where owner = ${owner.keypair.publicKey.toBase58()} limit 1
    `);
    const claims: Claims = {
      iss: 'agent-wallet',
      aud: 'owner',
      sub: owner.keypair.publicKey.toBase58(),
      jti: ownerSessionId,
      iat: now(),
      exp: now() + HOUR,
    };
    const open = async (cookie: string): Promise<number> =>
      (await send(api, 'GET', '/v1/wallet', { headers: { cookie } })).status;
    await cases.try('a token signed as it should be, so that the others say something', async () =>
      (await open(`svc_session=${hs256(claims, cookieSecret)}`)) === 200 ? null : 'refused',
    );
    for (const [name, forge] of FORGERIES) {
      await cases.try(`a token ${name}`, async () => {
        const status = await open(`svc_session=${forge(claims, cookieSecret)}`);
        return status === 401 ? null : `answered ${status}`;
      });
    }
    const other = await signIn(api, Keypair.generate());
    const right = hs256(claims, cookieSecret);
    const jars = [
      `svc_session=; svc_session=${right}`,
      `svc_session=x; svc_session=${right}`,
      `SVC_SESSION=${right}`,
      `__Host-svc_session=${right}`,
      `svc_session[]=${right}`,
      `svc_session%20=${right}`,
      `other=svc_session=${right}`,
      `svc_session=j:{"token":"${right}"}`,
    ];
    for (const jar of jars) {
      await cases.try(`a jar ${jar.replace(right, '…')}`, async () => {
        const status = await open(jar);
        return status === 401 ? null : `answered ${status}`;
      });
    }
    await cases.try('two cookies: never the second', async () => {
      const status = await open(`${other}; svc_session=${right}`);
      return status === 404 ? null : `answered ${status}`;
    });
  },
};

const encode = (part: unknown): string => Buffer.from(JSON.stringify(part)).toString('base64url');

function hmac(header: Claims, claims: unknown, secret: string | Buffer, hash = 'sha256'): string {
  const signed = `${encode(header)}.${encode(claims)}`;
  return `${signed}.${createHmac(hash, secret).update(signed).digest('base64url')}`;
}

const hs256: Forge = (claims, secret) => hmac({ alg: 'HS256' }, claims, secret);

function byKeyOf(type: 'rsa' | 'ec', alg: string): Forge {
  return (claims) => {
    const { privateKey, publicKey } =
      type === 'rsa'
        ? generateKeyPairSync('rsa', { modulusLength: 2_048 })
        : generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const header = { alg, jwk: publicKey.export({ format: 'jwk' }) };
    const signed = `${encode(header)}.${encode(claims)}`;
    const made = createSign('sha256').update(signed);
    const key = { key: privateKey, dsaEncoding: 'ieee-p1363' as const };
    return `${signed}.${made.sign(key).toString('base64url')}`;
  };
}

const withClaims =
  (change: Claims): Forge =>
  (claims, secret) =>
    hs256({ ...claims, ...change }, secret);

const withHeader =
  (header: Claims): Forge =>
  (claims, secret) =>
    hmac(header, claims, secret);

const FORGERIES: readonly (readonly [string, Forge])[] = [
  ...['none', 'None', 'NONE', 'nOnE', ''].flatMap((alg): (readonly [string, Forge])[] => [
    [`of alg ${JSON.stringify(alg)} unsigned`, (claims) => `${encode({ alg })}.${encode(claims)}.`],
    [`of alg ${JSON.stringify(alg)} signed`, withHeader({ alg })],
  ]),
  ['of two parts', (claims) => `${encode({ alg: 'none' })}.${encode(claims)}`],
  ['without alg', withHeader({})],
  ['of alg HS384', (claims, secret) => hmac({ alg: 'HS384' }, claims, secret, 'sha384')],
  ['of alg HS512', (claims, secret) => hmac({ alg: 'HS512' }, claims, secret, 'sha512')],
  ['that names RS256 and is an HMAC', withHeader({ alg: 'RS256' })],
  ['of alg RS256 with its own key', byKeyOf('rsa', 'RS256')],
  ['of alg ES256 with its own key', byKeyOf('ec', 'ES256')],
  ['with a critical header', withHeader({ alg: 'HS256', crit: ['exp'], exp: 1 })],
  ['whose payload is not encoded', withHeader({ alg: 'HS256', b64: false, crit: ['b64'] })],
  ['of another secret', (claims, secret) => hs256(claims, `${secret}x`)],
  ['of no secret', (claims) => hs256(claims, '')],
  ['of a part of the secret', (claims, secret) => hs256(claims, secret.slice(0, 32))],
  [
    'of the decoded secret',
    (claims, secret) => hmac({ alg: 'HS256' }, claims, Buffer.from(secret, 'base64')),
  ],
  [
    'of a file for its secret',
    (claims) => hmac({ alg: 'HS256', kid: '../../../../dev/null' }, claims, ''),
  ],
  ['without its signature', (claims, secret) => hs256(claims, secret).replace(/[^.]*$/, '')],
  ['with half its signature', (claims, secret) => hs256(claims, secret).slice(0, -22)],
  [
    'with another payload',
    (claims, secret) => {
      const [header, , signature] = hs256(claims, secret).split('.');
      return `${header}.${encode({ ...claims, iat: 1 })}.${signature}`;
    },
  ],
  ['that ran out', withClaims({ exp: now() - 1 })],
  ['that runs out in a text', withClaims({ exp: 'never' })],
  ['that begins later', withClaims({ nbf: now() + HOUR })],
  ['for agents', withClaims({ aud: 'agent' })],
  ['for nobody', withClaims({ aud: undefined })],
  ['of another issuer', withClaims({ iss: 'evil' })],
  ['of another owner', withClaims({ sub: Keypair.generate().publicKey.toBase58() })],
  ['of no owner', withClaims({ sub: undefined })],
  ['of two owners', withClaims({ sub: ['a', 'b'] })],
  ['with an id of no row', withClaims({ jti: randomUUID() })],
  ['with an id that is none', withClaims({ jti: "' or 1=1 --" })],
  ['without an id', withClaims({ jti: undefined })],
  ['that is a list', (_claims, secret) => hmac({ alg: 'HS256' }, [], secret)],
  ['of nothing', () => ''],
  ['of dots', () => '..'],
  ['of ten thousand characters', () => 'a'.repeat(10_000)],
];
