import { describe, expect, it } from 'vitest';
import type { EgressAnswer } from '@agent-wallet/egress';
import { isUnsupported, judgeTry } from './judge-try.ts';

const inHeader = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64');
const answered = (status: number, headers: Record<string, string> = {}): EgressAnswer => ({
  kind: 'answered',
  status,
  headers: { 'content-type': 'text/plain', 'x-internal': '7', ...headers },
  body: Buffer.from('said'),
});
const failed: EgressAnswer = { kind: 'failed', reason: 'timeout', detail: 'late' };
const ours = { proof: 'x-payment-proof', tries: 1 } as const;
const theirs = { proof: 'x402', tries: 1 } as const;

describe('a try to deliver', () => {
  it.each([200, 201, 204, 301, 303, 400, 401, 403, 404, 409, 410, 422, 451])(
    'takes %i for the last word of a service, however it is paid',
    (status) => {
      for (const leased of [ours, theirs]) {
        expect(judgeTry(leased, answered(status))).toEqual({
          state: 'delivered',
          outcome: `answered ${status}`,
          upstream: {
            status,
            headers: { 'content-type': 'text/plain' },
            body: Buffer.from('said'),
          },
          refusedWhy: null,
          tryAgainInMs: null,
        });
      }
    },
  );

  it.each([402, 408, 425, 429, 500, 502, 503, 504, 599])(
    'keeps %i to our own proof and shows the proof again',
    (status) => {
      expect(judgeTry(ours, answered(status))).toMatchObject({
        state: 'paid_not_delivered',
        upstream: { status },
        tryAgainInMs: 1_000,
      });
    },
  );

  it.each([408, 425, 429, 500, 502, 503, 504])(
    'keeps %i to a facilitator’s payment, which may go out again',
    (status) => {
      expect(judgeTry(theirs, answered(status))).toMatchObject({
        state: 'waiting',
        upstream: { status },
        refusedWhy: null,
        tryAgainInMs: 4_000,
      });
    },
  );

  it.each([100, 199, 600, 999, 0])('takes %i for no answer', (status) => {
    expect(judgeTry(ours, answered(status))).toMatchObject({
      state: 'paid_not_delivered',
      upstream: null,
    });
  });

  it('pauses twice as long after each try without an answer, up to 30 s', () => {
    const pauses = (proof: 'x402' | 'x-payment-proof', tries: readonly number[]) =>
      tries.map((count) => judgeTry({ proof, tries: count }, failed).tryAgainInMs);
    expect(pauses('x-payment-proof', [1, 2, 3, 4, 5, 6, 7, 40])).toEqual([
      1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000,
    ]);
    expect(pauses('x402', [1, 2, 3, 4, 5])).toEqual([4_000, 8_000, 16_000, 30_000, 30_000]);
    expect(judgeTry(ours, failed)).toMatchObject({ state: 'paid_not_delivered', upstream: null });
    expect(judgeTry(theirs, failed)).toMatchObject({ state: 'waiting', outcome: 'timeout' });
  });

  const refusal = { 'payment-required': inHeader({ error: 'not\u0000 today' }) };
  it.each([
    ['the first refusal', theirs, refusal, 'not? today'],
    ['a refusal without a reason', theirs, {}, 'no reason given'],
    ['one with a broken header', theirs, { 'payment-required': '!' }, 'no reason given'],
    ['one that may follow from an earlier try', { ...theirs, tries: 2 }, refusal, null],
    [
      'one after an order to settle',
      theirs,
      { ...refusal, 'payment-response': inHeader({ success: false }) },
      null,
    ],
  ])('never shows a facilitator’s payment again after a 402: %s', (_what, leased, headers, why) => {
    expect(judgeTry(leased, answered(402, headers))).toMatchObject({
      state: 'waiting',
      refusedWhy: why,
      tryAgainInMs: null,
    });
  });

  it('cuts a long reason', () => {
    const headers = { 'payment-required': inHeader({ error: 'x'.repeat(5_000) }) };
    expect(judgeTry(theirs, answered(402, headers)).refusedWhy).toHaveLength(200);
  });

  it('knows the words of facilitators that take no payments by our program', () => {
    expect(isUnsupported('invalid_exact_svm_smart_wallet_program_not_allowed: Prog')).toBe(true);
    expect(isUnsupported('invalid_exact_svm_payload_no_transfer_instruction')).toBe(true);
    expect(isUnsupported('insufficient_funds')).toBe(false);
  });
});
