import { describe, expect, it } from 'vitest';

import { tryUrl } from './try-url.ts';

const ENTRIES = [
  { id: 7, pattern: 'https://api.example.com/v1/*', maxPerCall: '0.05' },
  { id: 8, pattern: 'https://api.example.com/**', maxPerCall: '0.01' },
  { id: 9, pattern: 'https://api.example.com/v1/x', maxPerCall: 'much' },
];

describe('an example URL', () => {
  it('is allowed up to the highest limit of the rows that match, without those that are wrong', () => {
    expect(tryUrl(ENTRIES, ' https://api.example.com/v1/x?q=1 ')).toEqual({
      kind: 'matched',
      maxPerCall: 50_000n,
      ids: new Set([7, 8]),
    });
    expect(tryUrl(ENTRIES, 'https://api.example.com/v2/x')).toEqual({
      kind: 'matched',
      maxPerCall: 10_000n,
      ids: new Set([8]),
    });
  });

  it.each([
    ['', { kind: 'empty' }],
    ['https://other.example/v1/x', { kind: 'unmatched' }],
    ['http://api.example.com/v1/x', { kind: 'refused', reason: 'must be an https URL' }],
    [
      'https://api.example.com/v1/../x',
      { kind: 'refused', reason: 'must not contain dot segments' },
    ],
  ])('%j is %j', (url, expected) => {
    expect(tryUrl(ENTRIES, url)).toEqual(expected);
  });
});
