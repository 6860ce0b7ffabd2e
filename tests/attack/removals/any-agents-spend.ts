/** A spend is shown to every agent that knows its id. */
import { replaceIn } from '../../support/replace-in.ts';

replaceIn(
  '/apps/api/src/routes/spend.ts',
  '|| spend.sessionId !== agents.agentOf(request).sessionId',
  '',
);
