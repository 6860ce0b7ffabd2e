/** A nonce is looked at, not burned. */
import { replaceIn } from '../../support/replace-in.ts';

replaceIn(
  '/apps/api/src/auth/sign-in-store.ts',
  'and used_at is null and expires_at',
  'and expires_at',
);
