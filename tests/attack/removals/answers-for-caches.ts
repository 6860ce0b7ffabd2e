/** Nobody is told that answers are about one caller. */
import { replaceIn } from '../../support/replace-in.ts';

replaceIn('/apps/api/src/app.ts', "reply.header('cache-control', 'no-store')", 'undefined');
