import { createHash, randomUUID } from 'node:crypto';

/**
 * The id of a spend as uuid text. With an Idempotency-Key it follows from session and key, so that
 * the same ask has the same id on chain even when this database forgot it; else it is random.
 */
export function spendIdFor(sessionId: string, idempotencyKey: string | null): string {
  if (idempotencyKey === null) return randomUUID();
  const digest = createHash('sha256')
    .update(sessionId)
    .update('\0')
    .update(idempotencyKey)
    .digest();
  const hex = digest.subarray(0, 16).toString('hex');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ].join('-');
}
