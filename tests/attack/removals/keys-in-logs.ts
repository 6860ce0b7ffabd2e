/** Somebody wanted to see in the log whose key it was. */
import { replaceIn } from '../../support/replace-in.ts';

replaceIn(
  '/apps/api/src/auth/authenticate-agent.ts',
  'const token = readBearer(request.headers.authorization);',
  "const token = readBearer(request.headers.authorization); request.log.info({ token }, 'agent');",
);
