/**
 * JSON that is sent back unchanged. A service compares its offer with the accepted one, so `1.0`
 * must not become `1`, and a number of thirty digits must keep them all: numbers keep their text.
 */

type WrittenNumber = { readonly rawJSON: string };
type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;

declare global {
  /** Missing in the compiler's library so far. */
  interface JSON {
    parse(text: string, reviver: Reviver): unknown;
    rawJSON(text: string): WrittenNumber;
    isRawJSON(value: unknown): value is WrittenNumber;
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });
/** A NUL or a lone surrogate: the database cannot store them. */
const UNKEEPABLE = /\\u(0000|d[89a-f])/i;

export type JsonRecord = Readonly<Record<string, unknown>>;

/** The value, with numbers kept as written; undefined when the bytes are not JSON in UTF-8. */
export function parseExactJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(utf8.decode(bytes), (_key, value, { source }) =>
      typeof value === 'number' && source !== undefined ? JSON.rawJSON(source) : value,
    );
  } catch {
    return undefined;
  }
}

/** The text of a value from `parseExactJson`; undefined when the database cannot store it. */
export function writeExactJson(value: unknown): string | undefined {
  const text = JSON.stringify(value);
  return UNKEEPABLE.test(text) ? undefined : text;
}

/** A number from `parseExactJson`; null for everything else. */
export function numberIn(value: unknown): number | null {
  return JSON.isRawJSON(value) ? Number(value.rawJSON) : null;
}

/** Whether the value is a JSON object. */
export function isJsonRecord(value: unknown): value is JsonRecord {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value)
  );
}
