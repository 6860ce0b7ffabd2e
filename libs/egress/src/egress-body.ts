/** Reads a response's body to its end, with a bound on its bytes before and after decompression. */

import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, zstdDecompress } from 'node:zlib';

import { AnswerFault } from './egress-fault.ts';

const unpackers = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
} as const;

/**
 * `maxBytes` bounds the bytes sent, and separately the decompressed bytes. Throws AnswerFault
 * `too_large` or `bad_answer`; connection errors are passed on unchanged.
 */
export async function readBody(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  if (Number(response.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  if (!response.complete) throw new AnswerFault('bad_answer', 'the answer was cut off');
  return unpack(Buffer.concat(chunks), response.headers['content-encoding'], maxBytes);
}

async function unpack(
  packed: Buffer,
  encoding: string | undefined,
  maxBytes: number,
): Promise<Buffer> {
  const name = (encoding ?? '').trim().toLowerCase();
  if (name === '' || name === 'identity' || packed.length === 0) return packed;
  // One layer only: each further one multiplies the size that a small body can expand to.
  if (!isUnpackable(name)) throw new AnswerFault('bad_answer', `content-encoding ${name}`);
  try {
    return await unpackers[name](packed, { maxOutputLength: maxBytes });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') {
      throw tooLarge(maxBytes);
    }
    throw new AnswerFault('bad_answer', `the body is not ${name}`);
  }
}

function isUnpackable(name: string): name is keyof typeof unpackers {
  return Object.hasOwn(unpackers, name);
}

function tooLarge(maxBytes: number): AnswerFault {
  return new AnswerFault('too_large', `the body is larger than ${maxBytes} bytes`);
}
