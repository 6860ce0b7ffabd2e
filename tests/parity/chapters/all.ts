import { accounts } from './accounts.ts';
import { airdrops } from './airdrops.ts';
import type { Chapter } from './chapter.ts';
import { history } from './history.ts';
import { landings } from './landings.ts';
import { neverLands } from './never-lands.ts';
import { nodeFacts } from './node-facts.ts';
import { protocol } from './protocol.ts';
import { refusedSends } from './refused-sends.ts';
import { simulations } from './simulations.ts';
import { subscriptions } from './subscriptions.ts';
import { tokenAccounts } from './token-accounts.ts';

export const CHAPTERS: readonly Chapter[] = [
  landings,
  refusedSends,
  neverLands,
  history,
  simulations,
  accounts,
  tokenAccounts,
  nodeFacts,
  airdrops,
  protocol,
  subscriptions,
];
