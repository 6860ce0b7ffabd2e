import { createHmac, randomUUID } from 'node:crypto';
import { z } from 'zod';
import { callApi, signIn } from '../../support/http/http-owner.ts';
import type { Target } from '../target.ts';
import type { Operation } from './document.ts';
import { createRevoked, createRotated, type Party } from './party.ts';

/** Somebody without a right to call, and in which words that is refused; always 401. */
export type WrongCaller = {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly error: string;
};

/** The wrong callers of an operation; none where anybody may call. */
export type WrongCallers = Readonly<Record<Operation['caller'], readonly WrongCaller[]>>;

const claims = z.object({
  sub: z.string(),
  jti: z.string(),
  iss: z.string(),
  aud: z.string(),
  iat: z.number(),
  exp: z.number(),
});
const SECONDS_OF_A_DAY = 86_400;

/**
 * Everybody who claims to be the victim, or the victim's agent.
 * @param secret with which the api signs cookies: not even it opens a door that is shut
 */
export async function createWrongCallers(
  target: Target,
  victim: Party,
  attacker: Party,
  secret: string,
): Promise<WrongCallers> {
  const { owner, session } = victim;
  const [ended, rotated, revoked] = await Promise.all([
    createEndedCookie(target, owner.keypair),
    createRotated(target, owner),
    createRevoked(target, owner),
  ]);
  const others: readonly WrongCaller[] = [
    { name: 'nobody', headers: {}, error: 'missing session cookie' },
    { name: 'an agent', headers: bearer(session.apiKey), error: 'invalid jwt' },
  ];
  return {
    anybody: [],
    owner: [
      ...others,
      ...cookies(victim, attacker, secret).map(([name, jwt]) => withCookie(name, jwt)),
      withCookie('an ended cookie', ended),
      withCookie("an agent's key as a cookie", session.apiKey),
      { ...withCookie('garbage, and an agent', 'x'), headers: both('x', session.apiKey) },
    ],
    agent: agents(victim, { rotated, revoked: revoked.apiKey }),
  };
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const both = (jwt: string, key: string) => ({ cookie: `svc_session=${jwt}`, ...bearer(key) });
const jwtOf = (cookie: string): string => cookie.slice(cookie.indexOf('=') + 1);

const withCookie = (name: string, jwt: string): WrongCaller => ({
  name,
  headers: { cookie: `svc_session=${jwt}` },
  error: 'invalid jwt',
});

/** Forged cookies of the victim; those that say so are signed with the api's own secret. */
function cookies(victim: Party, attacker: Party, secret: string): (readonly [string, string])[] {
  const mine = jwtOf(attacker.owner.cookie);
  const theirs = jwtOf(victim.owner.cookie);
  const said = claimsOf(theirs);
  const past = said.iat - SECONDS_OF_A_DAY;
  const [head = '', , tail = ''] = mine.split('.');
  return [
    ['an empty cookie', ''],
    ['garbage', 'not.a.jwt'],
    ['an unsigned token', forge({ alg: 'none' }, said, null)],
    ['a token without its signature', theirs.slice(0, theirs.lastIndexOf('.') + 1)],
    ['a token signed by somebody else', forge({ alg: 'HS256' }, said, randomUUID().repeat(2))],
    ["the victim's claims under another signature", [head, theirs.split('.')[1], tail].join('.')],
    ['our own token, of another algorithm', forge({ alg: 'HS512' }, said, secret)],
    ['our own token, expired', forge({ alg: 'HS256' }, { ...said, iat: past, exp: past }, secret)],
    ['our own token, for others', forge({ alg: 'HS256' }, { ...said, aud: 'agent' }, secret)],
    ['our own token, by others', forge({ alg: 'HS256' }, { ...said, iss: 'other' }, secret)],
    [
      "our own token, on somebody else's sign-in",
      forge({ alg: 'HS256' }, { ...said, jti: claimsOf(mine).jti }, secret),
    ],
    [
      'our own token, on no sign-in',
      forge({ alg: 'HS256' }, { ...said, jti: randomUUID() }, secret),
    ],
  ];
}

function agents(
  { owner, session }: Party,
  keys: { readonly rotated: string; readonly revoked: string },
): readonly WrongCaller[] {
  const { apiKey } = session;
  const last = apiKey.endsWith('A') ? 'B' : 'A';
  const inMainnet = apiKey.replace('svc_dev_', 'svc_prod_');
  return [
    { name: 'nobody', headers: {}, error: 'missing bearer token' },
    { name: 'an owner', headers: { cookie: owner.cookie }, error: 'missing bearer token' },
    {
      name: 'an owner whose cookie is a bearer token',
      headers: bearer(jwtOf(owner.cookie)),
      error: 'invalid token format',
    },
    {
      name: 'a key as a cookie',
      headers: { cookie: `svc_session=${apiKey}` },
      error: 'missing bearer token',
    },
    {
      name: 'a key that is no bearer token',
      headers: { authorization: `Basic ${apiKey}` },
      error: 'missing bearer token',
    },
    {
      name: 'a key in another header',
      headers: { 'x-api-key': apiKey },
      error: 'missing bearer token',
    },
    { name: 'a guessed key', headers: bearer('svc_dev_guess'), error: 'invalid api key' },
    {
      name: 'a key with another last letter',
      headers: bearer(`${apiKey.slice(0, -1)}${last}`),
      error: 'invalid api key',
    },
    { name: 'half a key', headers: bearer(apiKey.slice(0, 30)), error: 'invalid api key' },
    { name: 'a key of the other network', headers: bearer(inMainnet), error: 'invalid api key' },
    { name: 'a rotated key', headers: bearer(keys.rotated), error: 'api key revoked' },
    { name: 'a key of a revoked session', headers: bearer(keys.revoked), error: 'session revoked' },
    {
      name: 'a guessed key, and an owner',
      headers: { cookie: owner.cookie, ...bearer('svc_dev_guess') },
      error: 'invalid api key',
    },
  ];
}

async function createEndedCookie(
  { system }: Target,
  keypair: Party['owner']['keypair'],
): Promise<string> {
  const cookie = await signIn(system, keypair);
  await callApi(system, 'POST', '/v1/auth/logout', { headers: { cookie } });
  return jwtOf(cookie);
}

function claimsOf(jwt: string): z.output<typeof claims> {
  const payload = Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString('utf8');
  return claims.parse(JSON.parse(payload));
}

/** A token with whatever is wanted in it; without `secret` it is not signed. */
function forge(
  header: { readonly alg: 'none' | 'HS256' | 'HS512' },
  payload: unknown,
  secret: string | null,
): string {
  const text = [header, payload]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  const hash = header.alg === 'HS512' ? 'sha512' : 'sha256';
  const tail = secret === null ? '' : createHmac(hash, secret).update(text).digest('base64url');
  return `${text}.${tail}`;
}
