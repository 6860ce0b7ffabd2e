/** A spend is shown to every agent that knows its id. */
import { replaceIn } from '../../support/replace-in.ts';

replaceIn(
  '/apps/api/src/routes/agent/spend.ts',
  '|| spend.sessionId !== agents.agentOf(request).sessionId',
  '',
);
