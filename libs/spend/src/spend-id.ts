import { createHash, randomUUID } from 'node:crypto';

/** The last bytes of an id from a key tell its take: which of the spends under that key it is. */
const TAKE_BYTES = 4;
const TAKES = 2 ** (8 * TAKE_BYTES);

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
  return textOf(digest.subarray(0, 16));
}

/**
 * The id after this one under the same key: for the ask that comes when the row before was refused
 * unsent. Ids under one key stay next to each other, see {@link takesOf}.
 */
export function nextTake(spendId: string): string {
  const bytes = bytesOf(spendId);
  const place = placeOfTake(bytes);
  bytes.writeUInt32BE((bytes.readUInt32BE(place) + 1) % TAKES, place);
  return textOf(bytes);
}

/** The lowest and the highest id under the key of this one; a random id shares them with no other. */
export function takesOf(spendId: string): { readonly least: string; readonly most: string } {
  const least = bytesOf(spendId);
  const most = bytesOf(spendId);
  least.fill(0x00, placeOfTake(least));
  most.fill(0xff, placeOfTake(most));
  return { least: textOf(least), most: textOf(most) };
}

const placeOfTake = (bytes: Buffer): number => bytes.length - TAKE_BYTES;

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
