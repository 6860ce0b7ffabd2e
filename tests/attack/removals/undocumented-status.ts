/** What does not exist is answered with a status that nobody was told of. */
import { replaceIn } from '../../support/replace-in.ts';

replaceIn('/apps/api/src/http/http-refusal.ts', 'refuse(404', 'refuse(410');
