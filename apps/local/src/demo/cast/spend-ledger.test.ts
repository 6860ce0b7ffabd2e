import { expect, it } from 'vitest';
import { createSpendLedger, totalOf } from './spend-ledger.ts';

const request = { recipient: 'r', amount: 3n };

it('counts a repeated reply once', () => {
  const ledger = createSpendLedger();
  ledger.allow(request, 'spend-1', 'signature-1');
  ledger.allow(request, 'spend-1', 'signature-1');
  ledger.allow({ ...request, amount: 4n }, 'spend-2', 'signature-2');
  expect(totalOf(ledger.allowed())).toBe(7n);
});

it('keeps each refusal from before a spend had an id', () => {
  const ledger = createSpendLedger();
  const early = { sentCode: 'INSUFFICIENT_LIQUID', details: {} };
  const late = { sentCode: 'DailyCapExceeded', details: { spend_id: 'spend-1' } };
  for (const refusal of [early, early, late, late]) ledger.deny(request, refusal);
  expect(ledger.denied().map(({ reason }) => reason)).toEqual([
    'INSUFFICIENT_LIQUID',
    'INSUFFICIENT_LIQUID',
    'DailyCapExceeded',
  ]);
});
