import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { parseCommandLine } from '../../command-line/parse-command-line.ts';
import { addOperator } from '../add-operator.ts';
import { type CatalogInput, readCatalogInput, readServiceUrl } from './catalog-arguments.ts';

const PAYEE = '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU';
const URL = 'https://weather.example/v1';
const whole = ['add', 'weather', '--url', URL, '--pay-to', PAYEE, '--max-price', '10000'];

/** The command that a line becomes. */
function parse(args: readonly string[]): unknown {
  const line = ['catalog', ...args];
  const call = parseCommandLine([addOperator], line, { description: '', print: () => undefined });
  return readCatalogInput(z.custom<CatalogInput>().parse(call?.input));
}

/** The arguments with one option left out. */
function without(option: string): string[] {
  const at = whole.indexOf(option);
  return whole.toSpliced(at, 2);
}

describe('catalog', () => {
  test('adds an entry, disabled by default', () => {
    expect(parse(whole)).toEqual({
      kind: 'catalog_add',
      entry: {
        slug: 'weather',
        name: 'weather',
        baseUrl: URL,
        enabled: false,
        payTo: PAYEE,
        maxPrice: 10_000n,
        method: null,
        proof: 'x-payment-proof',
      },
    });
    const more = ['--proof', 'x402', '--method', 'POST', '--name', 'Weather', '--enabled'];
    expect(parse([...whole, ...more])).toMatchObject({
      entry: { proof: 'x402', method: 'POST', name: 'Weather', enabled: true },
    });
  });

  test.each([
    [['list'], { kind: 'catalog_list' }],
    [['enable', 'weather'], { kind: 'catalog_enable', slug: 'weather' }],
    [['disable', 'weather'], { kind: 'catalog_disable', slug: 'weather' }],
    [['remove', 'a'], { kind: 'catalog_remove', slug: 'a' }],
  ])('%j is understood', (args, command) => {
    expect(parse(args)).toEqual(command);
  });

  test.each([
    [[], 'There is no command "catalog": try --help.'],
    [['shut'], 'There is no command "catalog shut": try --help.'],
    [['list', 'weather'], "Too many arguments for 'list': try --help."],
    [['list', '--enabled'], "Unknown option '--enabled': try --help."],
    [['enable'], "Missing required argument 'slug': try --help."],
    [['enable', 'a', 'b'], "Too many arguments for 'enable': try --help."],
    [['remove', 'Weather'], 'A slug has 1 to 63 lower-case letters, digits and inner hyphens.'],
    [['add'], "Missing required argument 'slug': try --help."],
    [without('--url'), '--url is missing: where is the service?'],
    [without('--pay-to'), '--pay-to is missing: which address is paid?'],
    [without('--max-price'), '--max-price is missing: how much may a call cost?'],
    [[...without('--pay-to'), '--pay-to', 'me'], '--pay-to must be a base58 address of 32 bytes.'],
    [[...whole, '--max-price', '0'], /^--max-price must be a whole number from 1 to/],
    [[...whole, '--max-price', '1.5'], /^--max-price must be a whole number from 1 to/],
    [[...whole, '--max-price', '18446744073709551616'], /^--max-price must be a whole number/],
    [[...whole, '--method', 'TRACE'], '--method must be one of GET, POST, PUT, PATCH, DELETE.'],
    [[...whole, '--proof', 'mpp'], '--proof must be one of x-payment-proof, x402.'],
    [[...whole, '--name', 'x'.repeat(101)], '--name takes 1 to 100 characters.'],
    [[...whole, '--free'], "Unknown option '--free': try --help."],
  ])('%j is refused in one sentence', (args, sentence) => {
    expect(() => parse(args)).toThrow(sentence);
  });
});

describe('the URL of an entry', () => {
  test('is stored as it is parsed', () => {
    expect(readServiceUrl('HTTPS://Weather.Example', [])).toBe('https://weather.example/');
    const loopback = 'http://127.0.0.1:4021';
    expect(readServiceUrl(`${loopback}/paid`, [loopback])).toBe(`${loopback}/paid`);
  });

  test.each([
    'nowhere',
    'http://weather.example/',
    'http://127.0.0.1:4021/',
    'https://127.0.0.1/',
    'https://[::1]/',
    'https://2130706433/',
    'https://10.0.0.8/',
    'https://localhost/',
    'https://printer.local/',
    'https://metadata.google.internal/',
    'https://*.example.com/',
    'https://api.example.com/*',
    'https://user:secret@api.example.com/',
    'https://api.example.com/?key=1',
    'https://api.example.com/#part',
    'https://api.example.com/a/../b',
    'ftp://api.example.com/',
  ])('may not be %j', (url) => {
    expect(() => readServiceUrl(url, [])).toThrow(/^--url must [^.]*\.$/);
  });
});
