/** Why a request got no usable response. The words are stable: metrics and callers match them. */
export type EgressFault =
  /** The client does not allow this URL or method. */
  | 'refused_url'
  /** The host resolves to an address that is not public. */
  | 'refused_address'
  | 'unresolvable'
  | 'unreachable'
  /** TLS failed: certificate, name or protocol. */
  | 'tls'
  | 'timeout'
  /** The caller aborted the request. */
  | 'aborted'
  | 'too_large'
  /** Not HTTP, truncated, or not decompressible. */
  | 'bad_answer'
  /** Too many requests are in progress. */
  | 'busy';

type Fault = { readonly reason: EgressFault; readonly detail: string };

/** Thrown for an unusable response; never leaves this folder. */
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

/** Classifies a thrown error. A timeout comes first, because it causes the other errors. */
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

/** Of several attempted addresses, the first one's error. */
function codeOf(error: unknown): string {
  const one = error instanceof AggregateError ? (error.errors[0] as unknown) : error;
  return one instanceof Error && 'code' in one && typeof one.code === 'string' ? one.code : '';
}
