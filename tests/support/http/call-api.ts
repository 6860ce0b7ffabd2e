import { z } from 'zod';

const REQUEST_TIMEOUT_MS = 90_000;

/** Where an api is. */
export type Api = { readonly urls: { readonly api: string } };

export type HttpAnswer = {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
};

export type CallOptions = {
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
};

/** One HTTP call; the body of the answer is JSON or empty. */
export async function callApi(
  system: Api,
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS',
  path: string,
  options: CallOptions = {},
): Promise<HttpAnswer> {
  const hasBody = options.body !== undefined;
  const response = await fetch(`${system.urls.api}${path}`, {
    method,
    headers: { ...(hasBody ? { 'content-type': 'application/json' } : {}), ...options.headers },
    ...(hasBody ? { body: JSON.stringify(options.body) } : {}),
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  });
  const text = await response.text();
  const body = z.record(z.string(), z.unknown()).parse(text === '' ? {} : JSON.parse(text));
  return { status: response.status, headers: response.headers, body };
}
