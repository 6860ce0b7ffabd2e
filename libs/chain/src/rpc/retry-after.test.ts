import { describe, expect, it } from 'vitest';

import { retryAfterMsOf } from './retry-after.ts';

describe('a Retry-After header', () => {
  const nowMs = Date.parse('Wed, 21 Oct 2026 07:28:00 GMT');
  it.each([
    ['2', 2_000],
    ['Wed, 21 Oct 2026 07:28:05 GMT', 5_000],
    ['Wed, 21 Oct 2026 07:27:00 GMT', 0],
    ['86400', 30_000],
    ['soon', null],
    [null, null],
  ])('%s waits %s ms', (header, waitMs) => {
    expect(retryAfterMsOf(header, nowMs)).toBe(waitMs);
  });
});
