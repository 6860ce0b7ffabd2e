import type { z } from 'zod';

/** An HTTP reply; the body is parsed JSON, or null when it was empty. */
export type HttpReply = {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
};

export type CallOptions = {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
};

/** One HTTP call. `target` is a path of the api or a whole URL. */
export type CallApi = (
  method: 'GET' | 'POST' | 'PUT',
  target: string,
  options?: CallOptions,
) => Promise<HttpReply>;

/** Above the longest wait of the api (60 s). */
const TIMEOUT_MS = 75_000;

/** Calls the api at `baseUrl`, each call with a time limit; `ended` aborts calls in progress. */
export function createCallApi(baseUrl: string, ended: AbortSignal): CallApi {
  return async (method, target, { headers = {}, body } = {}) => {
    const response = await fetch(new URL(target, baseUrl), {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.any([ended, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: parseJson(text) };
  };
}

function parseJson(text: string): unknown {
  if (text === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`the reply is not JSON: ${text.slice(0, 200)}`);
  }
}

/** The body of a reply that must be 200. Throws an Error with any other reply. */
export function bodyOf<T>(reply: HttpReply, schema: z.ZodType<T>): T {
  if (reply.status !== 200) {
    throw new Error(`expected 200, got ${reply.status} ${JSON.stringify(reply.body)}`);
  }
  return schema.parse(reply.body);
}
