import { afterAll, beforeAll, expect, it } from 'vitest';
import { type PageServer, servePages } from './serve-pages.ts';

let server: PageServer;
beforeAll(async () => {
  server = await servePages({ host: '127.0.0.1', port: 0, apiUrl: 'https://api.example.com/"<b>' });
});
afterAll(() => server.close());

const request = (path: string, init: RequestInit = {}) =>
  fetch(`http://127.0.0.1:${server.port}${path}`, init);

it('says what will come, and where the api is', async () => {
  const answer = await request('/?from=somewhere');
  expect(answer.status).toBe(200);
  const text = await answer.text();
  expect(text).toContain('https://api.example.com/&quot;&lt;b>');
  expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
});

it.each([
  ['GET', '/v1/wallet'],
  ['POST', '/v1/spend/transfer'],
  ['DELETE', '/v1/anything'],
  ['GET', '/anything/else'],
])('returns a not-found page for %s %s', async (method, path) => {
  const answer = await request(path, { method });
  expect(answer.status).toBe(404);
  expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(await answer.text()).toMatch(/^<!doctype html>/);
});

it('is live and ready', async () => {
  const answers = await Promise.all(['/livez', '/readyz'].map((path) => request(path)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
});
