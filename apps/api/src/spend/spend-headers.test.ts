import { expect, it } from 'vitest';
import { HttpRefusal } from '../http/http-refusal.ts';
import { readIdempotencyKey, readWait } from './spend-headers.ts';

it.each([
  [undefined, 30_000, true],
  ['', 30_000, true],
  ['wait=0', 0, false],
  ['wait=1', 1_000, true],
  ['wait=60', 60_000, true],
  ['WAIT = "7"', 7_000, true],
  ['respond-async', 0, false],
  ['respond-async, wait=10', 10_000, false],
  ['wait=10; foo=bar, respond-async', 10_000, false],
  ['return=minimal', 30_000, true],
])('reads Prefer: %s', (header, waitMs, cancelUnclaimed) => {
  expect(readWait(header)).toEqual({ waitMs, cancelUnclaimed });
});

it.each(['wait=61', 'wait=100', 'wait=-1', 'wait=1e1', 'wait=1.0', 'wait', 'wait=', 'wait=x'])(
  'refuses Prefer: %s',
  (header) => {
    expect(() => readWait(header)).toThrow(HttpRefusal);
  },
);

it('takes keys of 1 to 255 visible characters', () => {
  expect(readIdempotencyKey(undefined)).toBeNull();
  expect(readIdempotencyKey('a')).toBe('a');
  expect(readIdempotencyKey('~'.repeat(255))).toHaveLength(255);
  for (const key of ['', ' ', 'a b', 'é', '~'.repeat(256), 'a\tb']) {
    expect(() => readIdempotencyKey(key)).toThrow(/^Idempotency-Key must be/);
  }
});
