import type { Part } from '../../parts.ts';
import { exchangeRaw } from '../../raw-http.ts';
import { type NamedAttempt, tryAll } from '../../surface.ts';
import { listOperations, type RequestsWorld } from './world.ts';

const AT_ONCE = 32;

/** Spellings of a path that a router and an authentication check could read differently. */
const SPELLINGS: readonly ((path: string) => string)[] = [
  (path) => path,
  (path) => `/${path}`,
  (path) => path.replace('/v1/', '/v1//'),
  (path) => `${path}/`,
  (path) => `${path}//`,
  (path) => path.toUpperCase(),
  (path) => path.replace('/v1', '/V1'),
  (path) => path.replace('/v1', '/%76%31'),
  (path) => path.replace('/v1', '/%2576%2531'),
  (path) => path.replace(/([a-z])(?=[^/]*$)/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
  (path) => path.replace('/v1/', '/v1%2f'),
  (path) => path.replace('/v1/', '/v1%5c'),
  (path) => path.replace('/v1/', '/v1\\'),
  (path) => path.replace('/v1/', '/./v1/./'),
  (path) => `/livez/..${path}`,
  (path) => `/livez/%2e%2e${path}`,
  (path) => `/openapi.json;${path}`,
  (path) => `${path};a=b`,
  (path) => path.replace('/v1', '/v1;a=b'),
  (path) => `${path}%00`,
  (path) => `${path}%20`,
  (path) => `${path}.json`,
  (path) => `${path}?public=1`,
  (path) => `${path}?a=/livez`,
  (path) => `${path}%3fa=b`,
  (path) => `${path}#/livez`,
  (path) => `http://127.0.0.1${path}`,
  (path) => `http://127.0.0.1/livez/..${path}`,
  (path) => `//127.0.0.1${path}`,
];

/** Headers by which proxies name another path. */
const ELSEWHERE = (path: string): string =>
  `X-Original-URL: ${path}\r\nX-Rewrite-URL: ${path}\r\nX-Forwarded-Prefix: ${path}\r\n`;

/** Every operation that requires authentication, called without it in every spelling. */
export const paths: Part<RequestsWorld> = {
  shows: ['auth-by-path'],
  attack: async (cases, world) => {
    const operations = (await listOperations(world)).filter(({ caller }) => caller !== 'anybody');
    const targets = operations.flatMap(({ method, path }) => [
      ...SPELLINGS.map((spell) => ({ method, target: spell(path), headers: '' })),
      { method, target: '/livez', headers: ELSEWHERE(path) },
    ]);
    const attempts = targets.map(({ method, target, headers }): NamedAttempt => [
      `${method} ${target} by nobody ${headers.slice(0, 14)}`,
      async () => {
        const head = `${method} ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${headers}`;
        const body = 'Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}';
        const { answers } = await exchangeRaw(world.api, head + body);
        const status = answers[0]?.status ?? 0;
        const isPublic = answers[0]?.body === '{"status":"ok"}';
        return (status >= 400 && status < 500) || isPublic ? null : `answered ${status}`;
      },
    ]);
    await tryAll(cases, attempts, AT_ONCE);
  },
};
