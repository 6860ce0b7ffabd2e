import { describe, expect, it } from 'vitest';

import { matchUrl, parsePattern, type UrlPattern } from './url-pattern.ts';

function pattern(text: string): UrlPattern {
  const result = parsePattern(text);
  if (!result.ok) throw new Error(result.reason);
  return result.pattern;
}

describe('a pattern', () => {
  it.each([
    'https://api.example.com/v1/data',
    'https://api.example.com/v1/*/price',
    'https://api.example.com/v1/**',
    'https://api.example.com',
    'https://api.example.com:8443/**',
    'https://bücher.example/*',
    'HTTPS://API.EXAMPLE.COM/a',
  ])('may be %s', (text) => {
    expect(parsePattern(text).ok).toBe(true);
  });

  it.each([
    'http://api.example.com/',
    'https://*.example.com/',
    'https://*/',
    'https://%2a.example.com/',
    'https://example.com*/',
    'https://\u{ff0a}.example.com/',
    'https://example.com:*/',
    'https://api.example.com/v*',
    'https://api.example.com/**/a',
    'https://api.example.com/a**',
    'https://api.example.com/***',
    'https://api.example.com/a?b=*',
    'https://api.example.com/a#b',
    'https://user@api.example.com/',
    'https://api.example.com/a/../b',
    'https://api.example.com/a%2fb',
    'https:\\\\api.example.com\\a',
    'https:api.example.com/',
    'https:///api.example.com/',
    ' https://api.example.com/',
    'javascript:alert(1)',
    'api.example.com',
    '',
  ])('may not be %j', (text) => {
    expect(parsePattern(text).ok).toBe(false);
  });
});

describe('matching', () => {
  it.each([
    ['https://a.example/v1/data', 'https://a.example/v1/data'],
    ['https://a.example/v1/data', 'https://a.example/v1/data?x=1#y'],
    ['https://a.example/v1/data', 'https://A.EXAMPLE:443/v1/data'],
    ['https://a.example/v1/*', 'https://a.example/v1/anything'],
    ['https://a.example/v1/*/p', 'https://a.example/v1/x/p'],
    ['https://a.example/v1/**', 'https://a.example/v1/'],
    ['https://a.example/v1/**', 'https://a.example/v1/x/y/z'],
    ['https://a.example/**', 'https://a.example'],
    ['https://a.example:8443/a', 'https://a.example:8443/a'],
    ['https://bücher.example/a', 'https://xn--bcher-kva.example/a'],
  ])('%s covers %s', (rule, url) => {
    expect(matchUrl(pattern(rule), url)).toBe(true);
  });

  it.each([
    ['https://a.example/v1/data', 'http://a.example/v1/data'],
    ['https://a.example/v1/data', 'https://a.example/v1/data/'],
    ['https://a.example/v1/data', 'https://a.example/v1/Data'],
    ['https://a.example/v1/data', 'https://a.example/v1/data/more'],
    ['https://a.example/v1/data', 'https://a.example/v1/dat%61'],
    ['https://a.example/v1/*', 'https://a.example/v1'],
    ['https://a.example/v1/*', 'https://a.example/v1/a/b'],
    ['https://a.example/v1/**', 'https://a.example/v2/x'],
    ['https://a.example/**', 'https://b.a.example/'],
    ['https://a.example/v1/**', 'https://a.example/v1\\x'],
    ['https://a.example/v1/*', 'https://a.example/v1/x%00'],
  ])('%s does not cover %j', (rule, url) => {
    expect(matchUrl(pattern(rule), url)).toBe(false);
  });

  it('refuses a very long text quickly', () => {
    expect(
      matchUrl(pattern('https://a.example/**'), `https://a.example/${'%25'.repeat(5_000)}`),
    ).toBe(false);
  });
});
