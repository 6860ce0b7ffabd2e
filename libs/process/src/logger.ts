import { type DestinationStream, type Logger, pino } from 'pino';
import { describeError } from './describe-error.ts';

export type { Logger };

/** Fields that may hold a secret or money-moving bytes; their values never reach a log line. */
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
 * One JSON line per event, with the process's name and secrets cut out.
 * `destination` is stdout unless a caller wants the lines elsewhere.
 */
export function createLogger(
  { name, level }: { readonly name: string; readonly level: string },
  destination?: DestinationStream,
): Logger {
  // A wildcard is one level: a request keeps its headers two levels down.
  const paths = REDACTED_FIELDS.flatMap((field) =>
    ['', '*', '*.*'].map((levels) => `${levels}["${field}"]`),
  );
  return pino(
    { name, level, redact: { paths, censor: '[redacted]' }, serializers: { err: describeError } },
    destination ?? pino.destination(1),
  );
}
