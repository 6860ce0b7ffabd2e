/** An Idempotency-Key is read, and then forgotten. */
import { replaceIn } from '../../support/replace-in.ts';

replaceIn(
  '/apps/api/src/spend/spend-headers.ts',
  '.test(key)) return key;',
  '.test(key)) return null;',
);
