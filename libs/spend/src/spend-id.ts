import { createHash, randomUUID } from 'node:crypto';

/** The last bytes of an id from a key hold its retry ordinal among the spends under that key. */
const ORDINAL_BYTES = 4;
const ORDINALS = 2 ** (8 * ORDINAL_BYTES);

/**
 * The id of a spend as uuid text. With an Idempotency-Key it follows from session and key, so that
 * the same request has the same id on chain even when a restored database lost it. Without a key it
 * is random.
 */
export function spendIdFor(sessionId: string, idempotencyKey: string | null): string {
  if (idempotencyKey === null) return randomUUID();
  const digest = createHash('sha256')
    .update(sessionId)
    .update('\0')
    .update(idempotencyKey)
    .digest();
  return textOf(digest.subarray(0, 16));
}

/**
 * The id with the next retry ordinal under the same key: for a request that comes after the spend
 * before it was refused unsent. Ids under one key are adjacent, see {@link retryIdsOf}.
 */
export function nextRetryId(spendId: string): string {
  const bytes = bytesOf(spendId);
  const offset = ordinalOffset(bytes);
  bytes.writeUInt32BE((bytes.readUInt32BE(offset) + 1) % ORDINALS, offset);
  return textOf(bytes);
}

/** The lowest and the highest id under the key of this one; those of a random id hold no other. */
export function retryIdsOf(spendId: string): { readonly least: string; readonly most: string } {
  const least = bytesOf(spendId);
  const most = bytesOf(spendId);
  least.fill(0x00, ordinalOffset(least));
  most.fill(0xff, ordinalOffset(most));
  return { least: textOf(least), most: textOf(most) };
}

const ordinalOffset = (bytes: Buffer): number => bytes.length - ORDINAL_BYTES;

const bytesOf = (spendId: string): Buffer => Buffer.from(spendId.replaceAll('-', ''), 'hex');

function textOf(bytes: Buffer): string {
  const hex = bytes.toString('hex');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ].join('-');
}
