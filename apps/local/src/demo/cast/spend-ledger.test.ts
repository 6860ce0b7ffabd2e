import { expect, it } from 'vitest';
import { createSpendLedger, totalOf } from './spend-ledger.ts';

const ask = { recipient: 'r', amount: 3n };

it('counts an answer that was repeated once', () => {
  const ledger = createSpendLedger();
  ledger.allow(ask, 'spend-1', 'signature-1');
  ledger.allow(ask, 'spend-1', 'signature-1');
  ledger.allow({ ...ask, amount: 4n }, 'spend-2', 'signature-2');
  expect(totalOf(ledger.allowed())).toBe(7n);
});

it('keeps every refusal that came before a spend had an id', () => {
  const ledger = createSpendLedger();
  ledger.deny(ask, { code: 'INSUFFICIENT_LIQUID' });
  ledger.deny(ask, { code: 'INSUFFICIENT_LIQUID' });
  ledger.deny(ask, { code: 'DailyCapExceeded', spend_id: 'spend-1' });
  ledger.deny(ask, { code: 'DailyCapExceeded', spend_id: 'spend-1' });
  expect(ledger.denied().map(({ reason }) => reason)).toEqual([
    'INSUFFICIENT_LIQUID',
    'INSUFFICIENT_LIQUID',
    'DailyCapExceeded',
  ]);
});
