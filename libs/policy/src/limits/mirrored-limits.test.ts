import { describe, expect, it } from 'vitest';

import { predictProgramRefusal, type LimitState, type PlannedSpend } from './mirrored-limits.ts';
import { applySpend, emptySpendWindow } from './spend-window.ts';

const NOW = 1_800_000_000n;
const state: LimitState = {
  paused: false,
  expiry: NOW,
  allowedInstructions: 0b011,
  maxPerTx: 10n,
  dailyCap: 15n,
  recipients: ['alice'],
  window: applySpend(emptySpendWindow(), NOW, 5n),
};
const SPEND: PlannedSpend = {
  instruction: 'transfer_usdc',
  amount: 10n,
  recipient: 'alice',
  nowSeconds: NOW,
};

describe('the mirrored limits', () => {
  it.each<[string, Partial<LimitState>, Partial<PlannedSpend>]>([
    ['the last second and the last unit', {}, {}],
    ['yield by its bit alone', {}, { instruction: 'yield_deposit', amount: 99n, recipient: null }],
  ])('accept %s', (_case, stateChange, change) => {
    expect(predictProgramRefusal({ ...state, ...stateChange }, { ...SPEND, ...change })).toBeNull();
  });

  it.each<[string, string, Partial<LimitState>, Partial<PlannedSpend>]>([
    ['a paused vault first', 'VaultPaused', { paused: true, expiry: 0n }, {}],
    [
      'the second after expiry, before the bit',
      'SessionExpired',
      { allowedInstructions: 0 },
      { nowSeconds: NOW + 1n },
    ],
    ['a missing bit', 'InstructionNotAllowed', { allowedInstructions: 0b110 }, { amount: 0n }],
    ['yield without its bit', 'InstructionNotAllowed', {}, { instruction: 'yield_withdraw' }],
    ['no amount', 'InvalidAmount', {}, { amount: 0n, recipient: 'bob' }],
    ['one unit too many', 'AmountExceedsMaxPerTx', {}, { amount: 11n, recipient: 'bob' }],
    ['a stranger before the cap', 'RecipientNotAllowed', { dailyCap: 0n }, { recipient: 'bob' }],
    ['a transfer without a recipient', 'RecipientNotAllowed', {}, { recipient: null }],
    ['one unit above the cap', 'DailyCapExceeded', { dailyCap: 14n }, {}],
  ])('refuse %s: %s', (_case, refusal, stateChange, change) => {
    expect(predictProgramRefusal({ ...state, ...stateChange }, { ...SPEND, ...change })).toBe(
      refusal,
    );
  });
});
