import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { type Service, serviceColumns, serviceRow } from './service.ts';

/** The enabled entry with this slug; null when there is none or it is disabled. */
export async function findEnabledService(db: Database, slug: string): Promise<Service | null> {
  return db.maybeOne(sql.type(serviceRow)`
    select ${serviceColumns} from service where slug = ${slug} and enabled
  `);
}
