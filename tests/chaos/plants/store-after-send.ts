/** The bytes are sent before the attempt is stored. */
import { replaceIn } from '../../support/replace-in.ts';

replaceIn(
  '/apps/tx-worker/src/lane/submit-spend.ts',
  'const outcome = await claimSpend(',
  `await deps.send(signed.wire, { skipPreflight: false, minContextSlot });
    const outcome = await claimSpend(`,
);
