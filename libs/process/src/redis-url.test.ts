import { expect, test } from 'vitest';
import { parseRedisUrl } from './redis-url.ts';

const LOGIN = { username: undefined, password: undefined, isTls: false };

test.each([
  [
    'redis://localhost',
    { ...LOGIN, kind: 'single', node: { host: 'localhost', port: 6379 }, database: 0 },
  ],
  [
    'rediss://user:p%40ss@redis.example:6380/2',
    {
      kind: 'single',
      username: 'user',
      password: 'p@ss',
      isTls: true,
      node: { host: 'redis.example', port: 6380 },
      database: 2,
    },
  ],
  [
    'redis://:secret@[::1]:7000',
    {
      ...LOGIN,
      kind: 'single',
      password: 'secret',
      node: { host: '::1', port: 7000 },
      database: 0,
    },
  ],
  [
    'redis+sentinel://a,b:26380/mymaster',
    {
      ...LOGIN,
      kind: 'sentinel',
      sentinels: [
        { host: 'a', port: 26_379 },
        { host: 'b', port: 26_380 },
      ],
      masterName: 'mymaster',
      database: 0,
      sentinelPassword: undefined,
    },
  ],
  [
    'rediss+sentinel://:p@a:1/mymaster/3?sentinel_password=s',
    {
      kind: 'sentinel',
      username: undefined,
      password: 'p',
      isTls: true,
      sentinels: [{ host: 'a', port: 1 }],
      masterName: 'mymaster',
      database: 3,
      sentinelPassword: 's',
    },
  ],
  [
    'redis+cluster://a:7000,b:7001',
    {
      ...LOGIN,
      kind: 'cluster',
      nodes: [
        { host: 'a', port: 7000 },
        { host: 'b', port: 7001 },
      ],
    },
  ],
])('%s', (text, address) => {
  expect(parseRedisUrl(text)).toEqual(address);
});

test.each([
  '',
  'localhost:6379',
  'http://localhost',
  'redis://',
  'redis://a,b',
  'redis://a/x',
  'redis://a:port',
  'redis://a:99999',
  'redis://a?sentinel_password=s',
  'redis+sentinel://a',
  'redis+sentinel://a/mymaster/x',
  'redis+sentinel://a,/mymaster',
  'redis+cluster://a/0',
  `redis+cluster://${Array.from({ length: 17 }, (_, index) => `h${index}`).join(',')}`,
])('%s is refused', (text) => {
  expect(parseRedisUrl(text)).toBeNull();
});
