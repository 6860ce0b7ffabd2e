import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';

/** Whether there is any enabled webhook: without one, nothing has to be sent. */
export async function hasWebhooks(db: Database): Promise<boolean> {
  return db.exists(sql.unsafe`select 1 from webhook_endpoint where enabled`);
}
