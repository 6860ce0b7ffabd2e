import { expect, it } from 'vitest';

import measured from '../../../../program/compute-units.json' with { type: 'json' };
import { transferUnitLimit, yieldUnitLimit } from './compute-units.ts';

it('a limit of a transfer covers the largest measured cost and a fifth', () => {
  expect(transferUnitLimit()).toBe(Math.ceil(measured.transfer_usdc.units * 1.2) + 3_400);
});

it.each(['yield_deposit', 'yield_withdraw'] as const)(
  'a limit of %s covers two addresses, a fifth, and a reserve that does more',
  (kind) => {
    const { units, unitsPerBump } = measured[kind];
    const used = units + unitsPerBump * (1 + 25);
    expect(yieldUnitLimit(kind, [254, 230])).toBe(Math.ceil(used * 1.2) + 153_400);
  },
);
