/** An HTTP reply; the body is parsed JSON, or null when it was empty. */
export type JsonReply = { readonly status: number; readonly body: unknown };

const TIMEOUT_MS = 75_000;

/**
 * One HTTP call, for what the clients of the API have no method for; POST when it has a body.
 * `ended` aborts it.
 */
export async function callJson(
  url: string | URL,
  call: { readonly headers?: Readonly<Record<string, string>>; readonly body?: unknown },
  ended: AbortSignal,
): Promise<JsonReply> {
  const { headers = {}, body } = call;
  const response = await fetch(url, {
    signal: AbortSignal.any([ended, AbortSignal.timeout(TIMEOUT_MS)]),
    ...(body === undefined
      ? { headers }
      : {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers },
          body: JSON.stringify(body),
        }),
  });
  const text = await response.text();
  return { status: response.status, body: parseJson(text) };
}

function parseJson(text: string): unknown {
  if (text === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`the reply is not JSON: ${text.slice(0, 200)}`);
  }
}
