/** A key counts for the half of it that is hashed. */
import { replaceIn } from '../../support/replace-in.ts';

replaceIn(
  '/apps/api/src/auth/api-key.ts',
  ".update(apiKey, 'utf8')",
  '.update(apiKey.slice(0, 30))',
);
