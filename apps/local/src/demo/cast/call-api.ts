import type { z } from 'zod';

/** An answer over HTTP; the body is JSON, null when it was empty. */
export type Answer = {
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
) => Promise<Answer>;

/** Above the longest time that the api makes a caller wait (60 s). */
const TIMEOUT_MS = 75_000;

/** Calls to the api at `baseUrl`, each with a time limit; `ended` breaks off those under way. */
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
    throw new Error(`the answer is not JSON: ${text.slice(0, 200)}`);
  }
}

/** The body of an answer that must be 200. @throws Error that names what came instead. */
export function bodyOf<T>(answer: Answer, schema: z.ZodType<T>): T {
  if (answer.status !== 200) {
    throw new Error(`expected 200, got ${answer.status} ${JSON.stringify(answer.body)}`);
  }
  return schema.parse(answer.body);
}
