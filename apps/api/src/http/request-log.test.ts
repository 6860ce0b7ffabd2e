import { expect, it } from 'vitest';
import { describeRequest } from './request-log.ts';

const KEY = `svc_dev_${'k'.repeat(43)}`;
const pathOf = (url: string): string => describeRequest({ method: 'GET', url, ip: '::1' }).path;

it.each([
  ['/v1/wallet', '/v1/wallet'],
  [
    '/v1/session/6f1f2c1e-8f0b-4a58-9a53-2b1d0c9e7f10/revoke',
    '/v1/session/6f1f2c1e-8f0b-4a58-9a53-2b1d0c9e7f10/revoke',
  ],
  [`/v1/yield/position?api_key=${KEY}`, '/v1/yield/position'],
  [`/v1/yield/position#${KEY}`, '/v1/yield/position'],
  [`/v1/spend/${KEY}`, '/v1/spend/[cut]'],
  [`/v1/spend/%73vc_dev_${'k'.repeat(43)}/x`, '/v1/spend/[cut]/x'],
  [`/v1/audit?cursor=a?b=${KEY}`, '/v1/audit'],
  ['', ''],
])('%j is logged as %j', (url, path) => {
  expect(pathOf(url)).toBe(path);
});
