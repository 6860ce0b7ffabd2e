import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { matchUrl, parsePattern, type UrlPattern } from './url-pattern.ts';

function pattern(text: string): UrlPattern {
  const result = parsePattern(text);
  if (!result.ok) throw new Error(result.reason);
  return result.pattern;
}

const ANY = 'https://a.example/**';
const DEEP = 'https://a.example/v1/**';
const ONE = 'https://a.example/v1/*';
const IP = 'https://127.0.0.1/**';

/** The attack, the pattern that it targets, the URL. */
const ATTACKS: readonly (readonly [string, string, string])[] = [
  ['plain http', ANY, 'http://a.example/'],
  ['another scheme', ANY, 'ftp://a.example/'],
  ['a scheme that runs', ANY, 'javascript://a.example/%0aalert(1)'],
  ['no scheme', ANY, '//a.example/'],
  ['no slashes', ANY, 'https:a.example/'],
  ['one slash', ANY, 'https:/a.example/'],
  ['three slashes', ANY, 'https:///a.example/'],
  ['four slashes', ANY, 'https:////a.example/'],
  ['slashes the other way', ANY, 'https:\\\\a.example\\'],
  ['a blob that names it', ANY, 'blob:https://a.example/x'],
  ['a websocket', ANY, 'wss://a.example/'],

  ['the host as user name', ANY, 'https://a.example@evil.example/'],
  ['the host as user name and password', ANY, 'https://a.example:443@evil.example/'],
  ['a user name', ANY, 'https://evil.example@a.example/'],
  ['a user name and password', ANY, 'https://u:p@a.example/'],
  ['an empty user name', ANY, 'https://@a.example/'],
  ['an empty user name and password', ANY, 'https://:@a.example/'],
  ['two at signs', ANY, 'https://a.example@a.example@evil.example/'],
  ['an encoded at sign', ANY, 'https://a.example%40evil.example/'],
  ['a backslash before the at sign', ANY, 'https://a.example\\@evil.example/'],
  ['a slash before the at sign, encoded', ANY, 'https://a.example%2f@evil.example/'],

  ['a backslash behind the host', ANY, 'https://evil.example\\.a.example/'],
  ['a backslash as first slash of the path', ANY, 'https://a.example\\v1'],
  ['a backslash in the path', ONE, 'https://a.example/v1/x\\admin'],
  ['a backslash that leads up', DEEP, 'https://a.example/v1/..\\admin'],
  ['a fragment that hides the host', ANY, 'https://evil.example#@a.example/'],
  ['a fragment with the path', ANY, 'https://evil.example#https://a.example/'],
  ['a query that hides the host', ANY, 'https://evil.example?@a.example/'],
  ['a query with the URL', ANY, 'https://evil.example/?https://a.example/v1'],
  ['a path with the URL', ANY, 'https://evil.example/https://a.example/v1'],

  ['the host as prefix', ANY, 'https://a.example.evil.example/'],
  ['the host as suffix', ANY, 'https://evil.a.example/'],
  ['the host as suffix without a dot', ANY, 'https://evila.example/'],
  ['the host with a hyphen', ANY, 'https://a.example-evil.example/'],
  ['a trailing dot', ANY, 'https://a.example./'],
  ['two trailing dots', ANY, 'https://a.example../'],
  ['a leading dot', ANY, 'https://.a.example/'],
  ['an empty label', ANY, 'https://a..example/'],
  ['no host', ANY, 'https://?a.example/'],

  ['a tab in the host', ANY, 'https://a.exam\tple/'],
  ['a line feed in the host', ANY, 'https://a.exam\nple/'],
  ['a carriage return in the path', ANY, 'https://a.example/\r/x'],
  ['a tab in the scheme', ANY, 'ht\ttps://a.example/'],
  ['a space in front', ANY, ' https://a.example/'],
  ['a space behind', ANY, 'https://a.example/ '],
  ['a NUL in front', ANY, '\u0000https://a.example/'],
  ['a NUL in the host', ANY, 'https://a.example\u0000.evil.example/'],
  ['a tab that hides a dot segment', DEEP, 'https://a.example/v1/.\t./admin'],
  ['half a surrogate pair', ANY, 'https://a.example/\ud800'],

  ['an encoded letter in the host', ANY, 'https://%61.example/'],
  ['an encoded dot in the host', ANY, 'https://a%2eexample/'],
  ['a soft hyphen in the host', ANY, 'https://a.ex\u00adample/'],
  ['a zero-width space in the host', ANY, 'https://a.ex\u200bample/'],
  ['a word joiner in the host', ANY, 'https://a.ex\u2060ample/'],
  ['full-width letters', ANY, 'https://\uff41.example/'],
  ['a full-width dot', ANY, 'https://a\uff0eexample/'],
  ['an ideographic dot', ANY, 'https://a\u3002example/'],
  ['a letter in a circle', ANY, 'https://\u24d0.example/'],
  ['a mathematical letter', ANY, 'https://\u{1d41a}.example/'],
  ['a Kelvin sign for a k', 'https://k.example/**', 'https://\u212a.example/'],
  ['a Cyrillic letter', ANY, 'https://\u0430.example/'],
  ['the same in punycode', ANY, 'https://xn--80a.example/'],
  ['an accent in its own character', 'https://b\u00fcch.example/**', 'https://bu\u0308ch.example/'],
  ['punycode that is none', ANY, 'https://xn--a.example/'],
  ['an account-of sign that becomes a/c', ANY, 'https://\u2100.example/'],

  ['another port', ANY, 'https://a.example:8443/'],
  ['the port of http', ANY, 'https://a.example:80/'],
  ['an empty port', ANY, 'https://a.example:/'],
  ['a port with zeros in front', ANY, 'https://a.example:0443/'],
  ['a port out of range', ANY, 'https://a.example:65979/'],
  ['no port where one is written', 'https://a.example:8443/**', 'https://a.example/'],
  ['a wildcard for a port', ANY, 'https://a.example:*/'],

  ['an IP address as one number', IP, 'https://2130706433/'],
  ['an IP address in hex', IP, 'https://0x7f.0.0.1/'],
  ['an IP address in octal', IP, 'https://0177.0.0.1/'],
  ['a short IP address', IP, 'https://127.1/'],
  ['an IP address with a dot behind', IP, 'https://127.0.0.1./'],
  ['an IP address in full-width digits', IP, 'https://\uff11\uff12\uff17.0.0.1/'],
  ['an IPv4 address as IPv6', IP, 'https://[::ffff:127.0.0.1]/'],
  ['an IPv6 address in another spelling', 'https://[::1]/**', 'https://[0:0::1]/'],
  ['a zone in an IPv6 address', 'https://[::1]/**', 'https://[::1%25eth0]/'],

  ['dot segments', DEEP, 'https://a.example/v1/../admin'],
  ['dot segments that stay inside', DEEP, 'https://a.example/v1/x/../y'],
  ['a single dot', DEEP, 'https://a.example/v1/./x'],
  ['a single dot at the end', DEEP, 'https://a.example/v1/.'],
  ['encoded dots', DEEP, 'https://a.example/v1/%2e%2e/admin'],
  ['half-encoded dots', DEEP, 'https://a.example/v1/.%2E/admin'],
  ['dots encoded twice', DEEP, 'https://a.example/v1/%252e%252e/admin'],
  ['dots encoded three times', DEEP, 'https://a.example/v1/%25252e%25252e/admin'],
  ['dots whose digits are encoded', DEEP, 'https://a.example/v1/%25%32%65%25%32%65/admin'],
  ['dots with a path parameter', DEEP, 'https://a.example/v1/..;/admin'],
  ['dots with an encoded path parameter', DEEP, 'https://a.example/v1/..%3b/admin'],
  ['dots with a space behind', DEEP, 'https://a.example/v1/..%20/admin'],
  ['three dots', DEEP, 'https://a.example/v1/.../admin'],
  ['full-width dots', DEEP, 'https://a.example/v1/\uff0e\uff0e/admin'],
  ['a two-dot leader', DEEP, 'https://a.example/v1/\u2025/admin'],
  ['overlong dots', DEEP, 'https://a.example/v1/%c0%ae%c0%ae/admin'],
  ['overlong dots encoded twice', DEEP, 'https://a.example/v1/%25c0%25ae%25c0%25ae/admin'],

  ['an encoded slash', ONE, 'https://a.example/v1/x%2fadmin'],
  ['an encoded slash in capitals', ONE, 'https://a.example/v1/x%2Fadmin'],
  ['a slash encoded twice', ONE, 'https://a.example/v1/x%252fadmin'],
  ['a slash whose digits are encoded', ONE, 'https://a.example/v1/x%25%32%66admin'],
  ['an encoded backslash', ONE, 'https://a.example/v1/x%5cadmin'],
  ['a backslash encoded twice', ONE, 'https://a.example/v1/x%255cadmin'],
  ['a full-width slash', ONE, 'https://a.example/v1/x\uff0fadmin'],
  ['a full-width slash, encoded', ONE, 'https://a.example/v1/x%EF%BC%8Fadmin'],
  ['a small backslash', ONE, 'https://a.example/v1/x\ufe68admin'],
  ['an overlong slash', ONE, 'https://a.example/v1/x%c0%afadmin'],
  ['a slash as %u', ONE, 'https://a.example/v1/x%u002fadmin'],
  ['a broken escape', ONE, 'https://a.example/v1/%zz'],
  ['a percent sign at the end', ONE, 'https://a.example/v1/x%'],
  ['bytes that are no text', ONE, 'https://a.example/v1/%ff'],
  ['an encoded NUL', ONE, 'https://a.example/v1/x%00.json'],
  ['an encoded line end', ONE, 'https://a.example/v1/x%0d%0aSet-Cookie:a'],
  ['a line end encoded twice', ONE, 'https://a.example/v1/x%250d%250a'],
  ['encoded more often than anybody needs', ONE, `https://a.example/v1/%${'25'.repeat(9)}41`],

  ['a path that begins alike', DEEP, 'https://a.example/v1x/data'],
  ['a path that begins alike, with a dot', DEEP, 'https://a.example/v1.bak/data'],
  ['a path parameter', DEEP, 'https://a.example/v1;x/data'],
  ['the folder itself', DEEP, 'https://a.example/v1'],
  ['capitals in the path', DEEP, 'https://a.example/V1/data'],
  ['an encoded letter in the path', DEEP, 'https://a.example/%761/data'],
  ['a doubled slash in front', DEEP, 'https://a.example//v1/data'],
  ['one segment too many', ONE, 'https://a.example/v1/x/y'],
  ['a slash too many', ONE, 'https://a.example/v1/x/'],
  ['an empty segment for a wildcard', ONE, 'https://a.example/v1/'],
  ['the pattern itself as URL, on another host', ANY, 'https://*/**'],
  ['nothing', ANY, ''],
  ['more than anybody reads', ANY, `https://a.example/${'x'.repeat(3_000)}`],
];

describe('a spelling that is denied', () => {
  it.each(ATTACKS)('%s: %s does not cover %j', (_, rule, url) => {
    expect(matchUrl(pattern(rule), url)).toBe(false);
  });

  it('is in the table once', () => {
    expect(new Set(ATTACKS.map(([, , url]) => url)).size).toBe(ATTACKS.length);
  });
});

describe('a spelling that is plain', () => {
  it.each([
    [ANY, 'https://a.example'],
    [ANY, 'HTTPS://A.EXAMPLE/'],
    [ANY, 'https://a.example:443/'],
    [ANY, 'https://a.example?x=1'],
    [ANY, 'https://a.example/@user'],
    [ANY, 'https://a.example/a%20b'],
    [ANY, 'https://a.example/100%25'],
    [ANY, 'https://a.example/file.tar.gz'],
    [ANY, 'https://a.example/.well-known/x'],
    [ANY, 'https://a.example/%C3%A9t%C3%A9'],
    [ANY, 'https://a.example/été'],
    [ANY, 'https://a.example/x?next=https://evil.example/../%2f'],
    [ANY, 'https://a.example/x#/../y'],
    ['https://bücher.example/**', 'https://bücher.example/x'],
    ['https://bücher.example/**', 'https://xn--bcher-kva.example/x'],
    ['https://xn--bcher-kva.example/**', 'https://bücher.example/x'],
    [IP, 'https://127.0.0.1/x'],
    ['https://[::1]:8443/**', 'https://[::1]:8443/x'],
  ])('%s covers %s', (rule, url) => {
    expect(matchUrl(pattern(rule), url)).toBe(true);
  });
});

/** Pieces of attacks, joined at random. */
const PIECES = [
  ...'https: http: // / \\ @ : # ? . .. ; % * ** a.example evil.example v1 admin'.split(' '),
  ...'443 8443 x %2e %2f %5c %25 %00 %c0%af [::1]'.split(' '),
  ...'\t|\n| |\u3002|\uff0f|\u00ad|\u0430|\ud800'.split('|'),
];

/** Whether a careful reader finds this host and folder in a URL, without the code under test. */
function readsAs(url: string, host: string, folder: string): boolean {
  const parsed = new URL(url);
  if (parsed.protocol !== 'https:' || parsed.host !== host) return false;
  if (parsed.username !== '' || parsed.password !== '') return false;
  let path = parsed.pathname;
  for (let i = 0; i < 8; i += 1) {
    const again = new URL(path.replaceAll('\\', '/'), 'https://base.example');
    if (again.host !== 'base.example' || !again.pathname.startsWith(folder)) return false;
    try {
      path = decodeURIComponent(path);
    } catch {
      return true;
    }
  }
  return true;
}

it('covers no URL that a careful reader parses as another host or folder', () => {
  const rule = pattern(DEEP);
  const glued = fc
    .array(fc.constantFrom(...PIECES), { maxLength: 9 })
    .map((pieces) => pieces.join(''));
  const nearly = glued.map((rest) => `https://a.example/v1/${rest}`);
  let covered = 0;
  fc.assert(
    fc.property(fc.oneof(glued, nearly), (url) => {
      if (!matchUrl(rule, url)) return;
      covered += 1;
      expect(readsAs(url, 'a.example', '/v1/')).toBe(true);
    }),
    { numRuns: 5_000 },
  );
  // Guards against a test in which nothing is covered.
  expect(covered).toBeGreaterThan(50);
});
