import { type DestinationStream, type Logger, pino } from 'pino';
import { describeError } from './describe-error.ts';

export type { Logger };

/** Fields that may hold a secret or bytes that move money. Their values are never logged. */
const REDACTED_FIELDS = [
  'authorization',
  'cookie',
  'set-cookie',
  'api_key',
  'apiKey',
  'signature',
  'txBase64',
  'payment_proof_header',
  'x-payment-proof',
  'payment-signature',
  'secretKey',
  'sealed',
  'wire',
];

const SECRET_FIELDS = new Set(REDACTED_FIELDS);
/** Finds the name of such a field in a line. Quotes within a text are escaped there. */
const HAS_SECRET_FIELD = new RegExp(`"(?:${REDACTED_FIELDS.join('|')})":`);

/** Removes secrets from a line of JSON, at any depth. Few lines have such a field at all. */
function withoutSecrets(line: string): string {
  if (!HAS_SECRET_FIELD.test(line)) return line;
  const cleaned: unknown = JSON.parse(line, (field, value: unknown) =>
    SECRET_FIELDS.has(field) ? '[redacted]' : value,
  );
  return `${JSON.stringify(cleaned)}\n`;
}

/** A write costs the process more than the line in it. */
const BUFFER = { minLength: 4_096, periodicFlush: 50 };

/**
 * Creates a logger of JSON lines with the process's name and with secrets removed. The default
 * `destination` is stdout.
 */
export function createLogger(
  { name, level }: { readonly name: string; readonly level: string },
  destination?: DestinationStream,
): Logger {
  return pino(
    { name, level, hooks: { streamWrite: withoutSecrets }, serializers: { err: describeError } },
    // Lines of a short time are written together; the end of the process writes the rest.
    destination ?? pino.destination({ dest: 1, sync: false, ...BUFFER }),
  );
}
