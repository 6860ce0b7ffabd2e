import type { IncomingHttpHeaders } from 'node:http';
import { serviceRequestUrl } from '@agent-wallet/policy/services';
import type { Service } from '@agent-wallet/spend';
import { cleanRequestHeaders, type PlainHeaders } from '@agent-wallet/egress';

/** A request to a service, without any proof. */
export type UpstreamRequest = {
  readonly method: string;
  readonly url: string;
  readonly headers: PlainHeaders;
  readonly body: Buffer | null;
};

/** Headers between the agent and us, and those about payment, which only we may send. */
const NOT_FOR_SERVICES =
  /^(idempotency-key|prefer|x-request-id|x-tx-signature|content-type|x-api-key|(x-)?payment(-.*)?|x-auth-.*|sec-.*)$/;

/** The agent's headers for the service: no credentials, no proofs, none of ours. */
export function headersForService(headers: IncomingHttpHeaders, hasBody: boolean): PlainHeaders {
  const kept = Object.entries(headers).flatMap(([name, value]) =>
    typeof value !== 'string' || NOT_FOR_SERVICES.test(name) ? [] : [[name, value] as const],
  );
  const type = hasBody ? { 'content-type': 'application/json' } : {};
  return cleanRequestHeaders({ accept: '*/*', ...Object.fromEntries(kept), ...type }, null);
}

/**
 * The request that an agent means by a catalog entry, a path below it and a body. Without a path
 * it is the entry's URL itself. The text of a refusal begins with the field's name.
 */
export function composeRequest(
  service: Pick<Service, 'baseUrl' | 'method'>,
  call: {
    readonly path: string | null;
    readonly headers: PlainHeaders;
    readonly body: Buffer | null;
  },
): { readonly ok: true; readonly request: UpstreamRequest } | { readonly ok: false; text: string } {
  const { path, headers, body } = call;
  const method = service.method ?? (body === null ? 'GET' : 'POST');
  if (method === 'GET' && body !== null) {
    return { ok: false, text: 'body must be absent: this service is called with GET' };
  }
  if (path === null) return { ok: true, request: { method, url: service.baseUrl, headers, body } };
  const judged = serviceRequestUrl(service.baseUrl, path);
  if (!judged.ok) return { ok: false, text: `path ${judged.reason}` };
  return { ok: true, request: { method, url: judged.url.href, headers, body } };
}
