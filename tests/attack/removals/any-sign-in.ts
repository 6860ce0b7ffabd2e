/** A cookie counts on whatever sign-in it names. */
import { replaceIn } from '../../support/replace-in.ts';

replaceIn('/apps/api/src/auth/sign-in-store.ts', 'and owner = ${owner}\n', '\n');
