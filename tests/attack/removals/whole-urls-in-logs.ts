/** A request's URL is logged as it came, with whatever somebody has put into it. */
import { replaceIn } from '../../support/replace-in.ts';

replaceIn('/apps/api/src/app.ts', '{ req: describeRequest }', '{}');
