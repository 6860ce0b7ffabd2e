/** An attempt that the node does not know after some seconds counts as expired. */
import { replaceIn } from '../../support/replace-in.ts';

replaceIn(
  '/libs/chain/src/verdict/verdict.ts',
  'if (finalized === null || finalized.blockHeight <= facts.lastValidBlockHeight) {',
  `if (finalized !== null) return { kind: 'expired_proven', slot: finalized.slot };
  if (finalized === null) {`,
);
