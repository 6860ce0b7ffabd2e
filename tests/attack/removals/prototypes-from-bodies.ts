/** Names of the language pass in bodies. */
import { replaceIn } from '../../support/replace-in.ts';

replaceIn(
  '/apps/api/src/http/json-body.ts',
  "getDefaultJsonParser('error', 'error')",
  "getDefaultJsonParser('ignore', 'ignore')",
);
