/** Every page is told that it may read. */
import { replaceIn } from '../../support/replace-in.ts';

replaceIn(
  '/apps/api/src/http/cors.ts',
  'if (request.headers.origin !== dashboardOrigin) return;',
  '',
);
