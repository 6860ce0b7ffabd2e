import { type IncomingHttpHeaders, request } from 'node:http';
import type { Api } from '../support/http/http-owner.ts';

const TIMEOUT_MS = 90_000;

export type PlainAnswer = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
};

/** Sends one HTTP request. Unlike fetch, it sends every header as given and never retries. */
export function send(
  { urls }: Api,
  method: string,
  path: string,
  {
    headers = {},
    body,
  }: { readonly headers?: Record<string, string>; readonly body?: string | Buffer } = {},
): Promise<PlainAnswer> {
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const all = { ...lengthOf(method, body), ...headers };
    const sent = request(`${urls.api}${path}`, { method, headers: all, signal }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', reject);
      answer.on('end', () =>
        resolve({
          status: answer.statusCode ?? 0,
          headers: answer.headers,
          text: Buffer.concat(chunks).toString(),
        }),
      );
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Node states the length of a body by itself, except with DELETE. */
const lengthOf = (method: string, body: string | Buffer | undefined): Record<string, string> =>
  method === 'DELETE' && body !== undefined
    ? { 'content-length': String(Buffer.byteLength(body)) }
    : {};
