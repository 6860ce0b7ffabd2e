import { afterAll, beforeAll, expect, it } from 'vitest';
import type { PageSettings } from '../page/page-settings.ts';
import { type PageServer, servePages } from './serve-pages.ts';

const SETTINGS: PageSettings = {
  apiUrl: 'https://api.example.com/"<b>',
  cluster: 'devnet',
  programId: 'bPnk5YbjddraY6VFyhAFS5at5FXNjEtCoDARzTL8jBm',
  usdcMint: '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU',
  yieldReserve: 'devnet',
  rpcUrl: 'https://rpc.example.com/v1',
  explorerUrl: null,
};
const HTML = '<!doctype html><title>the page</title>';
const SCRIPT = 'console.log(1)';

let server: PageServer;
beforeAll(async () => {
  const script = { type: 'text/javascript; charset=utf-8', body: Buffer.from(SCRIPT) };
  server = await servePages({
    host: '127.0.0.1',
    port: 0,
    settings: SETTINGS,
    built: { html: Buffer.from(HTML), assets: new Map([['/assets/page-abc.js', script]]) },
  });
});
afterAll(() => server.close());

const request = (path: string, init: RequestInit = {}) =>
  fetch(`http://127.0.0.1:${server.port}${path}`, init);

it.each(['/', '/?from=somewhere', '/sessions', '/sessions/0b1c', '/withdraw'])(
  'returns the page at %s, which may talk to the api and the RPC endpoint alone',
  async (path) => {
    const answer = await request(path);
    expect(answer.status).toBe(200);
    expect(await answer.text()).toBe(HTML);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const policy = answer.headers.get('content-security-policy');
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).toContain(
      "connect-src 'self' https://api.example.com https://rpc.example.com; frame-ancestors 'none'",
    );
    expect(policy).not.toContain('unsafe');
  },
);

it('returns a file of the page, to be kept for ever', async () => {
  const answer = await request('/assets/page-abc.js');
  expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  expect(answer.headers.get('content-type')).toMatch(/^text\/javascript/);
  expect(await answer.text()).toBe(SCRIPT);
});

it('returns what the page must know', async () => {
  expect(await (await request('/config.json')).json()).toEqual(SETTINGS);
});

it.each([
  ['GET', '/v1/wallet'],
  ['POST', '/v1/spend/transfer'],
  ['DELETE', '/v1/anything'],
  ['GET', '/anything/else'],
  ['GET', '/assets/../index.html'],
  ['GET', '/sessions/0b1c/more'],
])('returns a not-found page for %s %s', async (method, path) => {
  const answer = await request(path, { method });
  expect(answer.status).toBe(404);
  expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
  const text = await answer.text();
  expect(text).toMatch(/^<!doctype html>/);
  expect(text).toContain('https://api.example.com/&quot;&lt;b>');
});

it('is live and ready', async () => {
  const answers = await Promise.all(['/livez', '/readyz'].map((path) => request(path)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
});
