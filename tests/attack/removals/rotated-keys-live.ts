/** A key that was replaced goes on opening. */
import { replaceIn } from '../../support/replace-in.ts';

replaceIn('/apps/api/src/auth/authenticate-agent.ts', 'if (agent.keyRevoked)', 'if (false)');
