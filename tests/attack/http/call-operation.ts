import type { Api } from '../../support/http/http-owner.ts';
import { type PlainAnswer, send } from '../plain-http.ts';
import type { Operation } from './document.ts';

/** The values that a caller chooses. */
export type Call = {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
};

export function callOperation(
  api: Api,
  { method, path }: Operation,
  call: Call,
  credentials: Readonly<Record<string, string>>,
): Promise<PlainAnswer> {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(call.path?.[name] ?? name),
  );
  const query = new URLSearchParams(call.query).toString();
  const json = call.body === undefined ? {} : { 'content-type': 'application/json' };
  return send(api, method, query === '' ? filled : `${filled}?${query}`, {
    headers: { ...json, ...call.headers, ...credentials },
    ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
  });
}

/** Returns the same call with another value for one input, such as `body.wallet_id`. */
export function fillIn(call: Call, input: string, value: string): Call {
  const [place = '', name = '', field] = input.split('.');
  const part = place === 'header' ? 'headers' : place;
  if (part === 'path' || part === 'query' || part === 'headers') {
    return { ...call, [part]: { ...call[part], [name]: value } };
  }
  const isList = Array.isArray(call.body?.[name]);
  const one = field === undefined ? value : { [field]: value };
  return { ...call, body: { ...call.body, [name]: isList ? [one] : one } };
}
