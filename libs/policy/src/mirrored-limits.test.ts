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
const ask: PlannedSpend = {
  instruction: 'transfer_usdc',
  amount: 10n,
  recipient: 'alice',
  nowSeconds: NOW,
};

describe('the mirrored limits', () => {
  it.each<[string, Partial<LimitState>, Partial<PlannedSpend>, string | null]>([
    ['let the last second and the last unit through', {}, {}, null],
    ['refuse a paused vault first', { paused: true, expiry: 0n }, {}, 'VaultPaused'],
    [
      'refuse the second after expiry',
      { allowedInstructions: 0 },
      { nowSeconds: NOW + 1n },
      'SessionExpired',
    ],
    [
      'refuse a missing bit',
      { allowedInstructions: 0b110 },
      { amount: 0n },
      'InstructionNotAllowed',
    ],
    ['refuse nothing', {}, { amount: 0n, recipient: 'bob' }, 'InvalidAmount'],
    [
      'refuse one unit above the most per transfer',
      {},
      { amount: 11n, recipient: 'bob' },
      'AmountExceedsMaxPerTx',
    ],
    [
      'refuse a stranger before the cap',
      { dailyCap: 0n },
      { recipient: 'bob' },
      'RecipientNotAllowed',
    ],
    ['refuse a transfer to nobody', {}, { recipient: null }, 'RecipientNotAllowed'],
    ['refuse one unit above the cap', { dailyCap: 14n }, {}, 'DailyCapExceeded'],
    [
      'ask yield for its bit only',
      {},
      { instruction: 'yield_deposit', amount: 99n, recipient: null },
      null,
    ],
    ['ask yield for its bit', {}, { instruction: 'yield_withdraw' }, 'InstructionNotAllowed'],
  ])('%s', (_case, stateChange, askChange, expected) => {
    expect(predictProgramRefusal({ ...state, ...stateChange }, { ...ask, ...askChange })).toBe(
      expected,
    );
  });
});
