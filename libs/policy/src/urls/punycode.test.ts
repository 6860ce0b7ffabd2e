import { domainToASCII, domainToUnicode } from 'node:url';

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { toUnicodeHost } from './punycode.ts';

describe('a host in its own letters', () => {
  it.each([
    ['a.example', 'a.example'],
    ['xn--bcher-kva.example', 'bücher.example'],
    ['xn--fsq.xn--0zwm56d', '例.测试'],
    ['xn--80ak6aa92e.com', 'аррӏе.com'],
    ['xn--mgbh0fb.example', 'مثال.example'],
    ['xn--ls8h.example', '💩.example'],
    ['[::1]', '[::1]'],
    ['xn--!.example', 'xn--!.example'],
    ['xn--99999999999999999999.example', 'xn--99999999999999999999.example'],
  ])('of %s is %s', (host, letters) => {
    expect(toUnicodeHost(host)).toBe(letters);
  });

  it('is what the platform returns, for every host that a URL can have', () => {
    // Blocks of several scripts, and any character at all.
    const letter = fc.oneof(
      fc.constantFrom('a', 'b', 'x', 'z', '0', '-'),
      fc.integer({ min: 0xa1, max: 0x5ff }).map((code) => String.fromCodePoint(code)),
      fc.integer({ min: 0x4e00, max: 0x9fff }).map((code) => String.fromCodePoint(code)),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    );
    const label = fc.array(letter, { minLength: 1, maxLength: 20 }).map((all) => all.join(''));
    const hosts = fc.array(label, { minLength: 1, maxLength: 3 }).map((all) => all.join('.'));
    let international = 0;
    fc.assert(
      fc.property(hosts, (written) => {
        const host = domainToASCII(written);
        if (host === '' || !URL.canParse(`https://${host}/`)) return;
        const { hostname } = new URL(`https://${host}/`);
        if (hostname.includes('xn--')) international += 1;
        expect(toUnicodeHost(hostname)).toBe(domainToUnicode(hostname));
      }),
      { numRuns: 1_500 },
    );
    expect(international).toBeGreaterThan(100);
  });
});
