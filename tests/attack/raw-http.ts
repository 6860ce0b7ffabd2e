import { connect } from 'node:net';
import type { Api } from '../support/http/http-owner.ts';

const TIMEOUT_MS = 10_000;

export type RawAnswer = {
  readonly status: number;
  /** Names in lower case; the last of several values. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
};

export type RawAnswers = {
  readonly answers: readonly RawAnswer[];
  /** Bytes after the last complete answer. */
  readonly rest: string;
  /** Whether the server closed the connection in time. */
  readonly isClosed: boolean;
};

/** Sends bytes on a new connection and reads until the server closes it. */
export function exchangeRaw(
  { urls }: Api,
  bytes: string | Buffer,
  { timeoutMs = TIMEOUT_MS }: { readonly timeoutMs?: number } = {},
): Promise<RawAnswers> {
  return new Promise((resolve) => {
    const { hostname, port } = new URL(urls.api);
    const socket = connect(Number(port), hostname);
    const chunks: Buffer[] = [];
    const settle = (isClosed: boolean): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ ...readAnswers(Buffer.concat(chunks).toString('latin1')), isClosed });
    };
    const timer = setTimeout(() => settle(false), timeoutMs);
    socket.on('data', (chunk) => chunks.push(chunk));
    // A reset closes the connection too.
    socket.on('error', () => settle(true));
    socket.on('close', () => settle(true));
    socket.on('connect', () =>
      socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes),
    );
  });
}

/** Parses answers by their declared lengths. */
function readAnswers(text: string): Omit<RawAnswers, 'isClosed'> {
  const answers: RawAnswer[] = [];
  let rest = text;
  for (;;) {
    const endOfHead = rest.indexOf('\r\n\r\n');
    const [statusLine = '', ...lines] = rest.slice(0, Math.max(0, endOfHead)).split('\r\n');
    const status = Number(/^HTTP\/1\.1 ([0-9]{3}) /.exec(statusLine)?.[1]);
    if (endOfHead < 0 || Number.isNaN(status)) return { answers, rest };
    const headers = new Map(
      lines.map((line) => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
      }),
    );
    const start = endOfHead + 4;
    const length = headers.has('content-length')
      ? Number(headers.get('content-length'))
      : status === 204 || status < 200
        ? 0
        : lengthOfChunks(rest.slice(start), headers);
    if (length > rest.length - start) return { answers, rest };
    answers.push({ status, headers, body: rest.slice(start, start + length) });
    rest = rest.slice(start + length);
  }
}

/** Returns the length of a chunked body, or of all text when it is not chunked. */
function lengthOfChunks(text: string, headers: ReadonlyMap<string, string>): number {
  if (headers.get('transfer-encoding') !== 'chunked') return text.length;
  if (text.startsWith('0\r\n\r\n')) return '0\r\n\r\n'.length;
  const end = text.indexOf('\r\n0\r\n\r\n');
  return end < 0 ? Infinity : end + '\r\n0\r\n\r\n'.length;
}
