/** The log of every wallet is everybody's. */
import { replaceIn } from '../../support/replace-in.ts';

replaceIn('/libs/audit/src/list.ts', 'where wallet_id = ${page.walletId}::uuid', 'where true');
