/** A session is created in whatever wallet is named. */
import { replaceIn } from '../../support/replace-in.ts';

replaceIn('/apps/api/src/session/create-session.ts', '|| wallet.walletId !== body.wallet_id', '');
