/** A restored database is opened before what was signed earlier has landed or expired. */
import { replaceIn } from '../../support/replace-in.ts';

replaceIn(
  '/apps/confirm-worker/src/follow/guard-recovery.ts',
  'if (blockHeight <= shutAtHeight + BLOCKHASH_BLOCKS) return;',
  '',
);
