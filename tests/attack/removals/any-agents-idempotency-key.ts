/** An Idempotency-Key is looked up in all sessions. */
import { replaceIn } from '../../support/replace-in.ts';

replaceIn(
  '/libs/spend/src/accept/find-by-idempotency-key.ts',
  'where session_id = ${sessionId}::uuid and idempotency_key',
  'where idempotency_key',
);
