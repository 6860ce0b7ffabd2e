/** What is stored of a key is the key. */
import { replaceIn } from '../../support/replace-in.ts';

replaceIn(
  '/apps/api/src/auth/api-key.ts',
  "return createHmac('sha256', pepper).update(apiKey, 'utf8').digest();",
  'return Buffer.from(apiKey);',
);
