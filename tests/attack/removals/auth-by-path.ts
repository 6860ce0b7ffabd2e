/** Whom a path is for is judged by how it is spelt. */
import { replaceIn } from '../../support/replace-in.ts';

replaceIn(
  '/apps/api/src/auth/authenticate-owner.ts',
  'const jwt = request.cookies[SESSION_COOKIE];',
  "if (!request.url.startsWith('/v1/')) return; const jwt = request.cookies[SESSION_COOKIE];",
);
