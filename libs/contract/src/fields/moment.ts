import { z } from 'zod';

const FAULT = 'must be a time in unix seconds, or ISO 8601 with a zone';
const iso = z.iso.datetime({ offset: true });

/** A time in a query: unix seconds, or ISO 8601 with `Z` or an offset. Parsed to a Date. */
export const moment = z
  .string({ error: FAULT })
  .refine((text) => momentOf(text) !== null, { error: FAULT })
  .transform((text) => momentOf(text) ?? new Date(Number.NaN))
  .meta({ description: 'Unix seconds, or ISO 8601 with a zone.' });

/** Eleven digits would be milliseconds. */
function momentOf(text: string): Date | null {
  if (/^[0-9]{1,10}$/.test(text)) return new Date(Number(text) * 1000);
  if (text.length > 40 || !iso.safeParse(text).success) return null;
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? null : time;
}
