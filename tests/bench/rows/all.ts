import type { Row } from '../row.ts';
import { aging } from './aging.ts';
import { backlog } from './backlog.ts';
import { burst } from './burst.ts';
import { faults } from './faults.ts';
import { flood } from './flood.ts';
import { growth } from './growth.ts';
import { idle } from './idle.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { oneSession } from './one-session.ts';
import { oneWallet } from './one-wallet.ts';
import { perSpend } from './per-spend.ts';
import { queue } from './queue.ts';
import { refusals } from './refusals.ts';

/** In the order of the table. */
export const ROWS: readonly Row[] = [
  oneAtATime,
  burst,
  oneSession,
  oneWallet,
  perSpend,
  idle,
  refusals,
  flood,
  growth,
  aging,
  queue,
  faults,
  backlog,
];
