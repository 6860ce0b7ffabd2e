/** A spend is stored without the key that it was asked for with. */
import { replaceIn } from '../../support/replace-in.ts';

replaceIn(
  '/libs/spend/src/accept/accept-spend.ts',
  'await insertSpend(tx, { ...asked,',
  'await insertSpend(tx, { ...asked, idempotencyKey: null, requestDigest: null,',
);
