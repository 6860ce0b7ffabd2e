import type { Row } from '../row.ts';
import { burst } from './burst.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { perSpend } from './per-spend.ts';

/** In the order of the table. */
export const ROWS: readonly Row[] = [oneAtATime, burst, perSpend];
