import { describe, expect, it } from 'vitest';

import { judgeServiceUrl, serviceRequestUrl } from './service-url.ts';

describe('the URL of a service', () => {
  it.each([
    ['https://api.example.com', 'https://api.example.com/'],
    ['https://api.example.com/v1/paid', 'https://api.example.com/v1/paid'],
    ['https://API.Example.COM/Paid', 'https://api.example.com/Paid'],
    ['HTTPS://api.example.com/', 'https://api.example.com/'],
    ['https://api.example.com:443/', 'https://api.example.com/'],
    ['https://api.example.com:8443/', 'https://api.example.com:8443/'],
    ['https://api.example.com:1024/', 'https://api.example.com:1024/'],
    ['https://bücher.example/', 'https://xn--bcher-kva.example/'],
    ['https://api.example.com/a?b=c', 'https://api.example.com/a?b=c'],
    ['https://1.example.com/', 'https://1.example.com/'],
    ['https://10.0.0.1.example.com/', 'https://10.0.0.1.example.com/'],
    ['https://localhost.example.com/', 'https://localhost.example.com/'],
  ])('%s is accepted', (text, href) => {
    const judged = judgeServiceUrl(text, []);
    expect(judged.ok && judged.url.href).toBe(href);
  });

  it.each([
    // Another protocol, or none.
    ['http://api.example.com/', /https/],
    ['ftp://api.example.com/', /https/],
    ['file:///etc/passwd', /https/],
    ['gopher://api.example.com/', /https/],
    ['data:text/plain,x', /https/],
    ['//api.example.com/', /https/],
    ['api.example.com', /https/],
    ['https:api.example.com', /https/],
    ['https:/api.example.com', /https/],
    ['https:///api.example.com', /https/],
    ['https://', /https/],
    ['', /https/],
    // IPv4 addresses, in each spelling.
    ['https://127.0.0.1/', /IP address/],
    ['https://127.0.0.1.:443/', /plain spelling/],
    ['https://127.1/', /plain spelling/],
    ['https://127.0.1/', /plain spelling/],
    ['https://2130706433/', /plain spelling/],
    ['https://0x7f000001/', /plain spelling/],
    ['https://0x7f.1/', /plain spelling/],
    ['https://0X7F.0.0.1/', /plain spelling/],
    ['https://0177.0.0.1/', /plain spelling/],
    ['https://017700000001/', /plain spelling/],
    ['https://00000177.0x0.0.0x1/', /plain spelling/],
    ['https://0/', /plain spelling/],
    ['https://0.0.0.0/', /IP address/],
    ['https://10.0.0.1/', /IP address/],
    ['https://169.254.169.254/latest/meta-data/', /IP address/],
    ['https://0xa9fea9fe/', /plain spelling/],
    ['https://2852039166/', /plain spelling/],
    ['https://192.168.0.1/', /IP address/],
    ['https://8.8.8.8/', /IP address/],
    ['https://１２７.０.０.１/', /plain spelling/],
    ['https://①②⑦.⓪.⓪.①/', /plain spelling/],
    ['https://127。0。0。1/', /plain spelling/],
    ['https://127%2e0%2e0%2e1/', /plain spelling/],
    ['https://%31%32%37.0.0.1/', /plain spelling/],
    ['https://999.999.999.999/', /https/],
    ['https://127.0.0.1.1/', /https/],
    ['https://0x100000000/', /https/],
    // IPv6 addresses.
    ['https://[::1]/', /IP address/],
    ['https://[::]/', /IP address/],
    ['https://[0:0:0:0:0:0:0:1]/', /plain spelling/],
    ['https://[::ffff:127.0.0.1]/', /plain spelling/],
    ['https://[::ffff:7f00:1]/', /IP address/],
    ['https://[::127.0.0.1]/', /plain spelling/],
    ['https://[64:ff9b::7f00:1]/', /IP address/],
    ['https://[fe80::1]/', /IP address/],
    ['https://[fe80::1%25eth0]/', /must be an https URL/],
    ['https://[fd00:ec2::254]/', /IP address/],
    ['https://[2606:4700:4700::1111]/', /IP address/],
    ['https://[v1.x]/', /https/],
    ['https://::1/', /https/],
    // Names of this machine and this network.
    ['https://localhost/', /public host/],
    ['https://LOCALHOST/', /public host/],
    ['https://localhost:8443/', /public host/],
    ['https://a.localhost/', /public host/],
    ['https://ｌｏｃａｌｈｏｓｔ/', /plain spelling/],
    ['https://localhost./', /empty part/],
    ['https://api.example.com./', /empty part/],
    ['https://intranet/', /public host/],
    ['https://metadata/', /public host/],
    ['https://metadata.google.internal/', /public host/],
    ['https://printer.local/', /public host/],
    ['https://router.lan/', /public host/],
    ['https://nas.home.arpa/', /public host/],
    ['https://1.0.0.127.in-addr.arpa/', /public host/],
    ['https://vault.corp/', /public host/],
    ['https://abcdefghijklmnop.onion/', /public host/],
    // URLs that look like one host and are another.
    ['https://api.example.com@127.0.0.1/', /user name/],
    ['https://user:secret@api.example.com/', /user name/],
    ['https://@api.example.com/', /user name/],
    ['https://127.0.0.1:4021@evil.example/', /user name/],
    ['https://api.example.com\\@127.0.0.1/', /backslash/],
    ['https:\\\\api.example.com\\', /backslash/],
    ['https://api.example.com\t/', /control/],
    ['https://api.exam\nple.com/', /control/],
    [' https://api.example.com/', /control/],
    ['https://api.example.com/\u0000', /control/],
    ['https://api.example.com/a b', /control/],
    ['https://*.example.com/', /wildcard/],
    ['https://api.example.com/*', /wildcard/],
    ['https://api.example.com/#a', /fragment/],
    ['https://api.example.com/a/../b', /dot segments/],
    ['https://api.example.com/a/%2e%2e/b', /dot segments/],
    ['https://api.example.com/a%2fb', /encoded slash/],
    [`https://api.example.com/${'a'.repeat(2_048)}`, /longer/],
    // Ports of other protocols than HTTP.
    ['https://api.example.com:22/', /port/],
    ['https://api.example.com:25/', /port/],
    ['https://api.example.com:80/', /port/],
    ['https://api.example.com:1023/', /port/],
    ['https://api.example.com:0/', /port/],
    ['https://api.example.com:65536/', /https/],
    ['https://api.example.com:-1/', /https/],
    ['https://api.example.com:４４３/', /https/],
  ])('%j is refused', (text, reason) => {
    const judged = judgeServiceUrl(text, []);
    expect(judged.ok ? judged.url.href : judged.reason).toMatch(reason);
    expect(judged.ok).toBe(false);
  });

  it.each(['http://127.0.0.1:4021', 'http://127.0.0.1:4021/', 'http://127.0.0.1:4021/a?b'])(
    'on loopback is accepted where its origin is allowed: %s',
    (text) => {
      expect(judgeServiceUrl(text, ['http://127.0.0.1:4021']).ok).toBe(true);
      expect(judgeServiceUrl(text, []).ok).toBe(false);
    },
  );

  it.each([
    'http://127.0.0.1:4022/',
    'http://127.0.0.1:40211/',
    'http://127.0.0.1:4021.example.com/',
    'http://127.0.0.1:4021@example.com/',
    'http://127.0.0.1/',
    'https://127.0.0.1:4021/',
    'http://localhost:4021/',
    'http://[::1]:4021/',
    'http://127.1:4021/',
    'http://127.0.0.1:4021\\@example.com/',
    'http://127.0.0.1:4021/a/../b',
  ])('on loopback is refused when it only resembles an allowed origin: %s', (text) => {
    expect(judgeServiceUrl(text, ['http://127.0.0.1:4021']).ok).toBe(false);
  });
});

describe('the URL of a request', () => {
  it.each([
    ['https://api.example.com', '/', 'https://api.example.com/'],
    ['https://api.example.com/v1/paid', '/', 'https://api.example.com/v1/paid'],
    ['https://api.example.com/v1', '/a', 'https://api.example.com/v1/a'],
    ['https://api.example.com/v1/', '/a', 'https://api.example.com/v1/a'],
    ['https://api.example.com/v1///', '/a', 'https://api.example.com/v1/a'],
    ['https://api.example.com///', '/a', 'https://api.example.com/a'],
    ['https://api.example.com', '/a/b?c=d&e=f', 'https://api.example.com/a/b?c=d&e=f'],
    ['https://api.example.com', '/a//b', 'https://api.example.com/a//b'],
    [
      'https://api.example.com',
      '/https://evil.example/',
      'https://api.example.com/https://evil.example/',
    ],
    ['https://api.example.com', '/ü', 'https://api.example.com/%C3%BC'],
    ['https://api.example.com', '/a?b=../c', 'https://api.example.com/a?b=../c'],
    ['http://127.0.0.1:4021', '/a', 'http://127.0.0.1:4021/a'],
  ])('%s and %s make %s', (base, path, href) => {
    const made = serviceRequestUrl(base, path);
    expect(made.ok && made.url.href).toBe(href);
  });

  it.each([
    '',
    'a',
    '@evil.example/',
    ':8080/',
    '.evil.example/',
    '?a=b',
    '//evil.example/',
    '///evil.example/',
    '/\\evil.example/',
    '\\\\evil.example/',
    '/..',
    '/../admin',
    '/a/../../admin',
    '/./a',
    '/%2e%2e/admin',
    '/%2E%2e/admin',
    '/.%2e/admin',
    '/%252e%252e/admin',
    '/..;/admin',
    '/a%2f..%2fadmin',
    '/a%5c..',
    '/a%00',
    '/a\tb',
    '/a\r\nHost: evil.example',
    '/a b',
    '/a#b',
    `/${'a'.repeat(2_048)}`,
  ])('the path %j is outside the service', (path) => {
    expect(serviceRequestUrl('https://api.example.com/v1', path).ok).toBe(false);
  });
});
