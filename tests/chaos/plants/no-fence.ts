/** A worker that has lost its lane claims in it all the same. */
import { replaceIn } from '../../support/replace-in.ts';

replaceIn(
  '/libs/spend/src/lane/claim-spend.ts',
  'and fence = ${fence} and lease_until > now()',
  'and fence >= ${fence}',
);
