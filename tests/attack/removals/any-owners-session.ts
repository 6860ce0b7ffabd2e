/** A session is found by its id, whoever asks. */
import { replaceIn } from '../../support/replace-in.ts';

const BY_ID = `left join api_key on api_key.session_id = session.session_id and api_key.revoked_at is null
    where session.session_id`;

replaceIn(
  '/apps/api/src/session/sessions.ts',
  `and wallet.owner = \${owner}
    ${BY_ID}`,
  BY_ID,
);
