/** What was promised is not held back: the next spend counts on the same money. */
import { replaceIn } from '../../support/replace-in.ts';

replaceIn(
  '/apps/api/src/spend/accept-when-liquid.ts',
  'isWithdrawal || isDoomed(facts, ask, nowSeconds) ? 0n : amount',
  '0n',
);
