import { z } from 'zod';

const REQUEST_TIMEOUT_MS = 90_000;

/** The address of an api. */
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

/** A reply with its body as text. */
export type TextReply = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
};

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';

/** One HTTP call, without following redirects. */
export async function sendRequest(
  { urls }: Api,
  method: Method,
  path: string,
  { headers, body }: CallOptions = {},
): Promise<TextReply> {
  const hasBody = body !== undefined;
  const response = await fetch(`${urls.api}${path}`, {
    method,
    headers: { ...(hasBody ? { 'content-type': 'application/json' } : {}), ...headers },
    ...(hasBody ? { body: JSON.stringify(body) } : {}),
    redirect: 'manual',
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** One HTTP call whose reply is a JSON object or empty. */
export async function callApi(
  api: Api,
  method: Method,
  path: string,
  options: CallOptions = {},
): Promise<HttpAnswer> {
  const { status, headers, text } = await sendRequest(api, method, path, options);
  const body = z.record(z.string(), z.unknown()).parse(text === '' ? {} : JSON.parse(text));
  return { status, headers, body };
}
