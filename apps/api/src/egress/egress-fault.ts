/** Why a request got no usable answer: stable words, so that callers decide and operators count. */
export type EgressFault =
  /** The URL or method is not one that this client calls. */
  | 'refused_url'
  /** The host's name leads to an address that is not public. */
  | 'refused_address'
  | 'unresolvable'
  | 'unreachable'
  /** No connection that can be trusted: certificate, name or protocol. */
  | 'tls'
  | 'timeout'
  /** The caller gave up. */
  | 'aborted'
  | 'too_large'
  /** Not HTTP, cut off, or packed in a way that does not unpack. */
  | 'bad_answer'
  /** Too many requests are under way. */
  | 'busy';

type Fault = { readonly reason: EgressFault; readonly detail: string };

/** Thrown where an answer turns out to be unusable; never leaves this folder. */
export class AnswerFault extends Error {
  readonly reason: EgressFault;
  constructor(reason: EgressFault, detail: string) {
    super(detail);
    this.reason = reason;
  }
}

const UNREACHABLE: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EHOSTDOWN',
  'ENETDOWN',
  'EADDRNOTAVAIL',
  'EACCES',
  'EPERM',
  'ETIMEDOUT',
]);
const TLS =
  /^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_|EPROTO|INVALID_PURPOSE)/;

/** Names what was thrown. Time that ran out comes first: it is what ended everything else. */
export function faultOf(error: unknown, timedOut: boolean, gaveUp: boolean): Fault {
  const detail = error instanceof Error ? error.message : String(error);
  if (gaveUp) return { reason: 'aborted', detail };
  if (timedOut) return { reason: 'timeout', detail };
  if (error instanceof AnswerFault) return { reason: error.reason, detail };
  return { reason: reasonOfCode(codeOf(error)), detail: detail === '' ? codeOf(error) : detail };
}

function reasonOfCode(code: string): EgressFault {
  if (code === 'HPE_HEADER_OVERFLOW') return 'too_large';
  if (UNREACHABLE.has(code)) return 'unreachable';
  return TLS.test(code) ? 'tls' : 'bad_answer';
}

/** Of several addresses tried, the first one's. */
function codeOf(error: unknown): string {
  const one = error instanceof AggregateError ? (error.errors[0] as unknown) : error;
  return one instanceof Error && 'code' in one && typeof one.code === 'string' ? one.code : '';
}
