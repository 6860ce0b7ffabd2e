/** Bodies may be as large as they like. */
import { replaceIn } from '../../support/replace-in.ts';

replaceIn('/apps/api/src/app.ts', 'BODY_LIMIT_BYTES = 64 * 1024', 'BODY_LIMIT_BYTES = 2 ** 30');
