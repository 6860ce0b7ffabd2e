import { describe, expect, it, test } from 'vitest';
import { pauseBeforeNextTry, type TryResult } from './next-try.ts';

const refused = (
  status: number,
  code: string,
  retryable: boolean,
  retryAfterMs: number | null = null,
): TryResult => ({
  kind: 'replied',
  status,
  refusal: { error: code, code, layer: 'off-chain', retryable },
  isColdStart: false,
  retryAfterMs,
});
const failed: TryResult = { kind: 'failed' };
const coldStart: TryResult = {
  kind: 'replied',
  status: 503,
  refusal: null,
  isColdStart: true,
  retryAfterMs: null,
};
const unavailable = refused(503, 'RPC_UNAVAILABLE', true);

test.each([
  ['an unavailable chain', unavailable],
  ['an unavailable database', refused(503, 'DATABASE_UNAVAILABLE', true)],
  ['a restored database', refused(503, 'RECOVERING', true)],
  ['a failed probe of a service', refused(502, 'SERVICE_PROBE_FAILED', true)],
  ['a failed connection', failed],
])('%s is tried again after 1, 2, 4, 8, 16, 30 and 30 seconds', (_name, result) => {
  const pauses = [0, 1, 2, 3, 4, 5, 6].map((count) =>
    pauseBeforeNextTry(result, Array<TryResult>(count).fill(result)),
  );
  expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
});

test.each([
  [401, 'INVALID_API_KEY', false],
  [402, 'INSUFFICIENT_LIQUID', true],
  [402, 'QUOTED_OVER_MAX', false],
  [402, 'DailyCapExceeded', true],
  [403, 'OUTSIDE_TIME_WINDOW', true],
  [403, 'URL_NOT_ALLOWED', false],
  [404, 'SPEND_NOT_FOUND', false],
  [409, 'PARTIAL_LIQUIDITY', true],
  [500, 'INTERNAL', false],
  [502, 'SERVICE_DID_NOT_DELIVER', false],
  [503, 'YIELD_DISABLED', false],
  [503, 'NEVER_LANDED', true],
  [503, 'FORKED_OUT', true],
  [502, 'NOT_SETTLED', true],
])('%i %s is final for the call', (status, code, retryable) => {
  expect(pauseBeforeNextTry(refused(status, code, retryable), [])).toBeNull();
});

describe('Retry-After', () => {
  it('lengthens the pause', () => {
    const limited = refused(429, 'RATE_LIMITED', true, 20_000);
    expect(pauseBeforeNextTry(limited, [])).toBe(20_000);
  });

  it('does not shorten the pause', () => {
    const result = refused(503, 'RPC_UNAVAILABLE', true, 1_000);
    expect(pauseBeforeNextTry(result, [result, result])).toBe(4_000);
  });
});

test('a host that starts is tried again once, after 30 seconds', () => {
  expect(pauseBeforeNextTry(coldStart, [])).toBe(30_000);
  expect(pauseBeforeNextTry(coldStart, [unavailable])).toBe(30_000);
  expect(pauseBeforeNextTry(coldStart, [coldStart])).toBeNull();
});
