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
  'secretKey',
  'sealed',
  'wire',
];

/**
 * Creates a logger of JSON lines with the process's name and with secrets removed. The default
 * `destination` is stdout.
 */
export function createLogger(
  { name, level }: { readonly name: string; readonly level: string },
  destination?: DestinationStream,
): Logger {
  // A wildcard matches one level; a request's headers are two levels down.
  const paths = REDACTED_FIELDS.flatMap((field) =>
    ['', '*', '*.*'].map((levels) => `${levels}["${field}"]`),
  );
  return pino(
    { name, level, redact: { paths, censor: '[redacted]' }, serializers: { err: describeError } },
    // Lines that come during a write are written together; the end of the process writes the rest.
    destination ?? pino.destination({ dest: 1, sync: false }),
  );
}
