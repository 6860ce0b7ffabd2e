import type { Database } from '@agent-wallet/db';
import { findEnabledService, type Service } from '@agent-wallet/spend';

const SLUG = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * The enabled catalog entry under `slug`. A slug that no entry can have is not looked up: Postgres
 * cannot store some characters.
 */
export async function findService(db: Database, slug: string): Promise<Service | null> {
  return SLUG.test(slug) ? findEnabledService(db, slug) : null;
}
