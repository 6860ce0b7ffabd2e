/** Two sessions that are made at once take the same key. */
import { replaceIn } from '../../support/replace-in.ts';

replaceIn('/apps/api/src/session/sessions.ts', 'limit 1 for update skip locked', 'limit 1');
