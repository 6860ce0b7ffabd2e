import type { Database } from '@agent-wallet/db';
import { findByIdempotencyKey, type Spend } from '@agent-wallet/spend';
import type { RequestFrame } from './spend-request.ts';

/** The spend of an earlier request under the same key; null when there is none. */
export async function findReplay(
  db: Database,
  request: Pick<RequestFrame, 'agent' | 'idempotencyKey' | 'digest'>,
): Promise<Spend | 'key_reused' | null> {
  if (request.idempotencyKey === null) return null;
  const known = await findByIdempotencyKey(db, request.agent.sessionId, request.idempotencyKey);
  if (known === null) return null;
  return known.requestDigest.equals(request.digest) ? known.spend : 'key_reused';
}
