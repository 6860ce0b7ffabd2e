/** HTTP is read as loosely as the server can. */
import { replaceIn } from '../../support/replace-in.ts';

replaceIn('/apps/api/src/app.ts', 'http: {', 'http: { insecureHTTPParser: true,');
