import { describe, expect, it } from 'vitest';
import { judgeUrl } from './judge-url.ts';

const ALLOWLIST = [
  { pattern: 'https://api.example.com/v1/**', max_per_call: 100 },
  { pattern: 'https://api.example.com/v1/big', max_per_call: '18446744073709551615' },
  { pattern: 'https://other.example/*', max_per_call: 5 },
];

describe('the allowlist', () => {
  it.each([
    ['https://api.example.com/v1/small', 100n],
    ['https://api.example.com/v1/big', 101n],
    ['https://api.example.com/v1/big?x=1', 2n ** 64n - 1n],
    ['https://other.example/a', 1n],
  ])('lets a call of %s cost %d', (url, amount) => {
    expect(judgeUrl(ALLOWLIST, url, amount)).toEqual({ kind: 'allowed' });
  });

  it.each([
    ['https://api.example.com/v1/small', 101n, 100n],
    ['https://other.example/a', 6n, 5n],
    ['https://other.example/a/b', 1n, null],
    ['https://api.example.com/v2/x', 1n, null],
    ['https://api.example.com@evil.example/v1/x', 1n, null],
    ['https://evil.example/v1/x', 1n, null],
  ])('refuses %s at %d', (url, amount, maxPerCall) => {
    expect(judgeUrl(ALLOWLIST, url, amount)).toEqual({ kind: 'url_not_allowed', maxPerCall });
  });

  it('refuses everything when it is empty, and names the most that several entries allow', () => {
    const url = 'https://api.example.com/v1/a';
    expect(judgeUrl([], url, 1n)).toEqual({ kind: 'url_not_allowed', maxPerCall: null });
    const twice = [
      { pattern: 'https://api.example.com/v1/*', max_per_call: 7 },
      { pattern: 'https://api.example.com/**', max_per_call: 3 },
    ];
    expect(judgeUrl(twice, url, 8n)).toEqual({ kind: 'url_not_allowed', maxPerCall: 7n });
  });

  it('lets an entry that cannot be read allow nothing', () => {
    const broken = [{ pattern: 'https://*.example.com/**', max_per_call: 9 }];
    expect(judgeUrl(broken, 'https://api.example.com/', 1n)).toMatchObject({ maxPerCall: null });
  });
});
