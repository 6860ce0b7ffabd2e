/** Scripts can read the owner's cookie. */
import { replaceIn } from '../../support/replace-in.ts';

replaceIn('/apps/api/src/auth/session-cookie.ts', 'httpOnly: true,', 'httpOnly: false,');
