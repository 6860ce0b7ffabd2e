import { createHash } from 'node:crypto';

/** Characters of a span id. */
const SPAN_ID_CHARS = 16;

/** The trace of a spend, and the span that is its root; both follow from the spend's id. */
export function traceOf(spendId: string): { readonly traceId: string; readonly spanId: string } {
  const traceId = spendId.replaceAll('-', '').toLowerCase();
  const spanId = createHash('sha256').update(traceId).digest('hex').slice(0, SPAN_ID_CHARS);
  return { traceId, spanId };
}
