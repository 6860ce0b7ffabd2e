import { Keypair } from '@solana/web3.js';
import { requestNonce, sign, textFor } from '../../../support/http/sign-in.ts';
import type { Part } from '../../parts.ts';
import { type PlainAnswer, send } from '../../plain-http.ts';
import type { Cases } from '../../surface.ts';
import { type BrowserWorld, listOwnerOperations } from './world.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

/** Answers that a cache could keep, a frame could show or a browser could sniff. */
export const pageHeaders: Part<BrowserWorld> = {
  shows: ['answers-for-caches'],
  attack: async (cases, world) => {
    for (const [name, answer] of await requestPrivate(world)) {
      await cases.try(`${name} in a cache`, () => judgePrivate(answer));
    }
    const pages = [
      await send(world.api, 'GET', '/docs'),
      await send({ urls: { api: world.dashboardUrl } }, 'GET', '/'),
      await send({ urls: { api: world.dashboardUrl } }, 'GET', '/v1/wallet'),
    ];
    for (const [n, page] of pages.entries()) {
      await cases.try(`page ${n} in a frame`, () => judgePage(page));
    }
    await tryMetadata(cases, world);
  },
};

/** Answers about one person, successes and refusals, of owners and agents. */
async function requestPrivate(world: BrowserWorld): Promise<(readonly [string, PlainAnswer])[]> {
  const { api, owner } = world;
  const cookie = { cookie: owner.cookie };
  const { apiKey, sessionId } = await owner.createSession({ recipients: [] });
  const key = { authorization: `Bearer ${apiKey}` };
  const [keypair, challenge] = [Keypair.generate(), await requestNonce(api)];
  const signIn = JSON.stringify({
    pubkey: keypair.publicKey.toBase58(),
    nonce: challenge.nonce,
    signature: sign(textFor(keypair, challenge), keypair),
  });
  const owners = await Promise.all(
    (await listOwnerOperations(api)).map(async ({ method, path }) => {
      const headers = { ...cookie, ...JSON_TYPE };
      // A body that is refused, so that nothing happens.
      const body = method === 'GET' || path.endsWith('/logout') ? {} : { body: '[]' };
      if (path.endsWith('/logout')) return [path, await send(api, 'OPTIONS', path)] as const;
      return [`${method} ${path}`, await send(api, method, path, { headers, ...body })] as const;
    }),
  );
  const request = async (
    method: string,
    path: string,
    headers: Record<string, string>,
    body?: string,
  ) =>
    [
      `${method} ${path}`,
      await send(
        api,
        method,
        path,
        body === undefined ? { headers } : { headers: { ...headers, ...JSON_TYPE }, body },
      ),
    ] as const;
  return [
    ...owners.filter(([name]) => !name.endsWith('/logout')),
    await request('GET', `/v1/session/${sessionId}`, cookie),
    await request('POST', `/v1/session/${sessionId}/rotate-key`, cookie),
    await request('POST', '/v1/auth/siws/nonce', {}),
    await request('POST', '/v1/auth/siws', {}, signIn),
    await request('GET', '/v1/yield/position', key),
    await request('GET', '/v1/agent/limits', key),
    await request('POST', '/v1/spend/transfer', key, '{}'),
    await request('GET', '/v1/wallet', {}),
    await request('GET', '/v1/nothing', cookie),
  ];
}

function judgePrivate({ headers }: PlainAnswer): string | null {
  if (headers['cache-control'] !== 'no-store') return `cache-control ${headers['cache-control']}`;
  return headers['x-content-type-options'] === 'nosniff' ? null : 'its type may be guessed';
}

function judgePage({ headers }: PlainAnswer): string | null {
  const policy = String(headers['content-security-policy']);
  if (!policy.includes("frame-ancestors 'none'")) return `may be framed: ${policy}`;
  if (!policy.includes("default-src 'none'")) return `may load anything: ${policy}`;
  return headers['x-content-type-options'] === 'nosniff' ? null : 'its type may be guessed';
}

/** Headers that name the software. */
async function tryMetadata(cases: Cases, { api }: BrowserWorld): Promise<void> {
  for (const path of ['/livez', '/v1/nothing', '/docs']) {
    await cases.try(`${path} names what runs here`, async () => {
      const { headers } = await send(api, 'GET', path);
      return headers['server'] === undefined && headers['x-powered-by'] === undefined
        ? null
        : 'it does';
    });
  }
}
