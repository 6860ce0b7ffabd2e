import { createHmac, randomUUID } from 'node:crypto';
import { z } from 'zod';
import { callApi, signIn } from '../../support/http/http-owner.ts';
import type { Target } from '../target.ts';
import type { Operation } from './document.ts';
import { createRevoked, createRotated, type Party } from './party.ts';

/** A caller without the right to call, and the error of its 401. */
export type WrongCaller = {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly error: string;
};

/** The wrong callers of an operation, by its rightful caller; `both` are owners and agents. */
export type WrongCallers = Readonly<Record<Operation['caller'] | 'both', readonly WrongCaller[]>>;

const claims = z.looseObject({ jti: z.string(), iat: z.number() });
const SECONDS_OF_A_DAY = 86_400;

/**
 * Returns callers that claim to be the victim or the victim's agent. Some know the `secret` that
 * signs the API's cookies, which must not be enough.
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
  const nobody = { name: 'nobody', headers: {}, error: 'missing session cookie' };
  const agent = { name: 'an agent', headers: bearer(session.apiKey), error: 'invalid jwt' };
  const wrongCookies = [
    ...cookies(victim, attacker, secret).map(([name, jwt]) => withCookie(name, jwt)),
    withCookie('an ended cookie', ended),
    withCookie("an agent's key as a cookie", session.apiKey),
    { ...withCookie('garbage, and an agent', 'x'), headers: both('x', session.apiKey) },
  ];
  const wrongKeys = agents(victim, { rotated, revoked: revoked.apiKey });
  return {
    anybody: [],
    owner: [nobody, agent, ...wrongCookies],
    agent: wrongKeys,
    // The cookie decides where there is one.
    both: [nobody, ...wrongCookies, ...wrongKeys.filter(isKeyAlone)],
  };
}

const isKeyAlone = ({ headers }: WrongCaller): boolean =>
  headers['authorization'] !== undefined && headers['cookie'] === undefined;
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const both = (jwt: string, key: string) => ({ cookie: `svc_session=${jwt}`, ...bearer(key) });
const jwtOf = (cookie: string): string => cookie.slice(cookie.indexOf('=') + 1);

const withCookie = (name: string, jwt: string): WrongCaller => ({
  name,
  headers: { cookie: `svc_session=${jwt}` },
  error: 'invalid jwt',
});

/**
 * Returns forged cookies of the victim. Those called "our own" are signed with the API's secret.
 */
function cookies(victim: Party, attacker: Party, secret: string): (readonly [string, string])[] {
  const mine = jwtOf(attacker.owner.cookie);
  const theirs = jwtOf(victim.owner.cookie);
  const right = claimsOf(theirs);
  const past = right.iat - SECONDS_OF_A_DAY;
  const [head = '', , tail = ''] = mine.split('.');
  return [
    ['an empty cookie', ''],
    ['garbage', 'not.a.jwt'],
    ['an unsigned token', forge({ alg: 'none' }, right, null)],
    ['a token without its signature', theirs.slice(0, theirs.lastIndexOf('.') + 1)],
    ['a token with another signing key', forge({ alg: 'HS256' }, right, randomUUID().repeat(2))],
    ["the victim's claims under another signature", [head, theirs.split('.')[1], tail].join('.')],
    ['our own token, of another algorithm', forge({ alg: 'HS512' }, right, secret)],
    ['our own token, expired', forge({ alg: 'HS256' }, { ...right, iat: past, exp: past }, secret)],
    ['our own token, for others', forge({ alg: 'HS256' }, { ...right, aud: 'agent' }, secret)],
    ['our own token, by others', forge({ alg: 'HS256' }, { ...right, iss: 'other' }, secret)],
    [
      "our own token, on another owner's sign-in",
      forge({ alg: 'HS256' }, { ...right, jti: claimsOf(mine).jti }, secret),
    ],
    [
      'our own token, on no sign-in',
      forge({ alg: 'HS256' }, { ...right, jti: randomUUID() }, secret),
    ],
  ];
}

function agents(
  { owner, session: { apiKey } }: Party,
  keys: { readonly rotated: string; readonly revoked: string },
): readonly WrongCaller[] {
  const { cookie } = owner;
  const last = apiKey.endsWith('A') ? 'B' : 'A';
  const missing = 'missing bearer token';
  const invalid = 'invalid api key';
  const callers: readonly (readonly [string, WrongCaller['headers'], string])[] = [
    ['nobody', {}, missing],
    ['an owner', { cookie }, missing],
    ['a cookie as a bearer token', bearer(jwtOf(cookie)), 'invalid token format'],
    ['a key as a cookie', { cookie: `svc_session=${apiKey}` }, missing],
    ['a key in Basic authentication', { authorization: `Basic ${apiKey}` }, missing],
    ['a key in another header', { 'x-api-key': apiKey }, missing],
    ['a guessed key', bearer('svc_dev_guess'), invalid],
    ['a key with another last letter', bearer(`${apiKey.slice(0, -1)}${last}`), invalid],
    ['half a key', bearer(apiKey.slice(0, 30)), invalid],
    ['a key of the other network', bearer(apiKey.replace('svc_dev_', 'svc_prod_')), invalid],
    ['a rotated key', bearer(keys.rotated), 'api key revoked'],
    ['a key of a revoked session', bearer(keys.revoked), 'session revoked'],
    ['a guessed key, and an owner', { cookie, ...bearer('svc_dev_guess') }, invalid],
  ];
  return callers.map(([name, headers, error]) => ({ name, headers, error }));
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

/** Returns a token with this content, unsigned when `secret` is null. */
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
