/** What an agent tells us goes on to the service. */
import { replaceIn } from '../../support/replace-in.ts';

replaceIn(
  '/apps/api/src/egress/headers.ts',
  "const OF_OUR_CALLERS = [\n  'authorization',",
  'const OF_OUR_CALLERS = [',
);
