import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { type Service, serviceColumns, serviceRow } from './service.ts';

/** A catalog is kept by hand: far more entries than this are a mistake. */
const MOST_LISTED = 1_000;

/** The entries by slug; `enabledOnly` leaves out what agents cannot use. */
export async function listServices(
  db: Database,
  { enabledOnly }: { readonly enabledOnly: boolean },
): Promise<readonly Service[]> {
  return db.any(sql.type(serviceRow)`
    select ${serviceColumns} from service where enabled or not ${enabledOnly}
    order by slug limit ${MOST_LISTED}
  `);
}
