import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** Who may reach the server. */
export type Admission = {
  /** Host names without a port, as they appear in URLs. */
  readonly hosts: readonly string[];
  readonly token: string | null;
};

export type Refused = { readonly status: number; readonly error: string };

const HOST = /^(?<name>\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/i;

/**
 * Why a request is refused before its body is read; null to admit it.
 *
 * A web page that is open on this machine can send requests to loopback, also under a name of its
 * own that resolves to loopback (DNS rebinding). Such a request has a foreign `Host`, or an `Origin`;
 * programs send no `Origin`.
 */
export function refuseRequest(headers: IncomingHttpHeaders, admission: Admission): Refused | null {
  const host = HOST.exec(headers.host ?? '')?.groups?.['name']?.toLowerCase();
  if (host === undefined || !admission.hosts.includes(host)) {
    return { status: 403, error: 'this Host is not allowed: see MCP_ALLOWED_HOSTS' };
  }
  if (headers.origin !== undefined) {
    return { status: 403, error: 'web pages are not allowed' };
  }
  if (admission.token !== null && !isToken(headers.authorization, admission.token)) {
    return { status: 401, error: 'the bearer token of MCP_TOKEN is missing or wrong' };
  }
  return null;
}

/** Of equal length through a hash, so that the comparison tells nothing by its time. */
function isToken(authorization: string | undefined, token: string): boolean {
  return timingSafeEqual(digest(authorization ?? ''), digest(`Bearer ${token}`));
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
