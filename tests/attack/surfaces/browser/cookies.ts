import { Keypair } from '@solana/web3.js';
import {
  requestNonce,
  cookieOf,
  exchange,
  sign,
  signIn,
  textFor,
} from '../../../support/http/sign-in.ts';
import { callApi, type Api } from '../../../support/http/http-owner.ts';
import type { Part } from '../../parts.ts';
import { type PlainAnswer, send } from '../../plain-http.ts';
import type { BrowserWorld } from './world.ts';

/** Flags of a cookie; `Secure` may be missing on this machine only. */
type Flags = { readonly sameSite: 'Lax' | 'None'; readonly secure: boolean };

/** Cookies readable by scripts, other hosts or plain HTTP, and planted cookies. */
export const cookies: Part<BrowserWorld> = {
  shows: ['script-readable-cookie', 'ended-cookies-live'],
  attack: async (cases, { api, https }) => {
    const port = new URL(api.urls.api).port;
    const here = { sameSite: 'None', secure: true } as const;
    const hosts: readonly (readonly [string, Api, Record<string, string>, Flags])[] = [
      [
        'the dashboard’s host',
        api,
        { host: `localhost:${port}` },
        { sameSite: 'Lax', secure: false },
      ],
      ['its address', api, {}, here],
      ['another host', api, { host: 'evil.example' }, here],
      ['a host named by a caller', api, { 'x-forwarded-host': 'localhost' }, here],
      ['a scheme named by a caller', api, { 'x-forwarded-proto': 'http' }, here],
      ['https', https, { host: 'wallet.example' }, { sameSite: 'Lax', secure: true }],
      ['https and another host', https, { host: 'api.wallet.example' }, here],
      ['https under a local name', https, { host: 'localhost' }, here],
    ];
    for (const [name, at, headers, flags] of hosts) {
      await cases.try(`the cookie set at ${name}`, async () =>
        judgeFlags(await signInWith(at, headers), flags),
      );
    }
    await cases.try('the cookie taken back', async () => {
      const cookie = await signIn(api, Keypair.generate());
      const answer = await send(api, 'POST', '/v1/auth/logout', { headers: { cookie } });
      return judgeFlags(answer, here);
    });
    await cases.try('a cookie that was there before the sign-in', () => plantCookie(api));
    await cases.try('a cookie that was ended', async () => {
      const cookie = await signIn(api, Keypair.generate());
      await callApi(api, 'POST', '/v1/auth/logout', { headers: { cookie } });
      const { status } = await callApi(api, 'GET', '/v1/session', { headers: { cookie } });
      return status === 401 ? null : `answered ${status}`;
    });
    await cases.try('ending one cookie ends no other', async () => {
      const keypair = Keypair.generate();
      const [one, other] = [await signIn(api, keypair), await signIn(api, keypair)];
      await callApi(api, 'POST', '/v1/auth/logout', { headers: { cookie: one } });
      const { status } = await callApi(api, 'GET', '/v1/session', { headers: { cookie: other } });
      return status === 200 && one !== other ? null : `answered ${status}`;
    });
  },
};

async function signInWith(at: Api, headers: Record<string, string>): Promise<PlainAnswer> {
  const [keypair, challenge] = [Keypair.generate(), await requestNonce(at)];
  const body = JSON.stringify({
    pubkey: keypair.publicKey.toBase58(),
    nonce: challenge.nonce,
    signature: sign(textFor(keypair, challenge), keypair),
  });
  return send(at, 'POST', '/v1/auth/siws', {
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
}

function judgeFlags({ headers }: PlainAnswer, wanted: Flags): string | null {
  const [cookie = '', ...more] = headers['set-cookie'] ?? [];
  if (more.length > 0 || !cookie.startsWith('svc_session='))
    return `set ${1 + more.length} cookies`;
  const has = (attribute: string): boolean => cookie.split('; ').includes(attribute);
  const isRight =
    has('HttpOnly') &&
    has('Path=/') &&
    has(`SameSite=${wanted.sameSite}`) &&
    has('Secure') === wanted.secure &&
    !/; domain=/i.test(cookie);
  return isRight ? null : cookie.replace(/=[^;]*/, '=…');
}

/** An attacker's cookie, planted in the victim's browser before the victim signs in. */
async function plantCookie(api: Api): Promise<string | null> {
  const [attacker, victim] = [Keypair.generate(), Keypair.generate()];
  const planted = await signIn(api, attacker);
  const challenge = await requestNonce(api);
  const answer = await callApi(api, 'POST', '/v1/auth/siws', {
    headers: { cookie: planted },
    body: {
      pubkey: victim.publicKey.toBase58(),
      nonce: challenge.nonce,
      signature: sign(textFor(victim, challenge), victim),
    },
  });
  const own = cookieOf(answer);
  if (own === '' || own === planted) return 'the planted cookie is kept';
  const again = await exchange(api, victim, await requestNonce(api));
  return cookieOf(again) === own ? 'two sign-ins share a cookie' : null;
}
