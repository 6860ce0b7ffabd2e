import { createHash } from 'node:crypto';

/** What makes two asks under one Idempotency-Key the same ask: all that their bodies say. */
export function digestOf(content: readonly (string | null)[]): Buffer {
  return createHash('sha256').update(JSON.stringify(content)).digest();
}
