import type { Api } from '../../support/http/http-owner.ts';
import type { Operation } from './document.ts';

/** What a caller fills in. */
export type Call = {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
};

export type Answer = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
};

const TIMEOUT_MS = 90_000;

/** Calls an operation; the body of its answer as it came. */
export async function ask(
  api: Api,
  { method, path }: Operation,
  call: Call,
  credentials: Readonly<Record<string, string>>,
): Promise<Answer> {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(call.path?.[name] ?? name),
  );
  const query = new URLSearchParams(call.query).toString();
  const json = call.body === undefined ? {} : { 'content-type': 'application/json' };
  const response = await fetch(`${api.urls.api}${filled}${query === '' ? '' : `?${query}`}`, {
    method,
    headers: { ...json, ...call.headers, ...credentials },
    ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
    redirect: 'manual',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** The same call with another value in one place, such as `body.wallet_id`. */
export function fillIn(call: Call, input: string, value: string): Call {
  const [place = '', name = ''] = input.split('.');
  switch (place) {
    case 'path':
      return { ...call, path: { ...call.path, [name]: value } };
    case 'query':
      return { ...call, query: { ...call.query, [name]: value } };
    case 'header':
      return { ...call, headers: { ...call.headers, [name]: value } };
    default: {
      const isList = Array.isArray(call.body?.[name]);
      return { ...call, body: { ...call.body, [name]: isList ? [value] : value } };
    }
  }
}
