import type { Database } from '@agent-wallet/db';
import { findByIdempotencyKey, type Spend } from '@agent-wallet/spend';
import type { Wish } from './accept-when-liquid.ts';

/** The spend that an earlier ask under the same key became; null when there is none. */
export async function findReplay(
  db: Database,
  ask: Pick<Wish, 'agent' | 'idempotencyKey' | 'digest'>,
): Promise<Spend | 'key_reused' | null> {
  if (ask.idempotencyKey === null) return null;
  const known = await findByIdempotencyKey(db, ask.agent.sessionId, ask.idempotencyKey);
  if (known === null) return null;
  return known.requestDigest.equals(ask.digest) ? known.spend : 'key_reused';
}
