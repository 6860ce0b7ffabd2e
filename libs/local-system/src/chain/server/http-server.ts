/**
 * The chain's JSON-RPC over HTTP. node:http alone: there is one path and nothing to route, and the
 * chain shares its processor with everything that it is measured against.
 */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { ChainEngine } from '../engine/chain-engine.ts';
import { answerText } from '../rpc/answer.ts';

/** More than a batch of the largest transactions that a client sends at once. */
const MAX_BODY_BYTES = 4 * 1_024 * 1_024;

/**
 * Pages of any origin may call, as they may call a public node: the chain has no credentials, answers
 * on this machine alone, and its money is worthless.
 */
const PREFLIGHT = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'POST',
  // Clients of the chain add headers of their own, such as solana-client.
  'access-control-allow-headers': '*',
  'access-control-max-age': '7200',
};

/** Longer than clients keep an idle connection: else they meet one that is just being closed. */
const KEEP_ALIVE_MS = 75_000;

export function createHttpServer(chain: ChainEngine): Server {
  return createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    if (request.method === 'OPTIONS') {
      response.writeHead(204, PREFLIGHT).end();
      return;
    }
    response.setHeader('access-control-allow-origin', '*');
    if (request.method !== 'POST') {
      response.writeHead(request.url === '/health' ? 200 : 405).end('ok');
      return;
    }
    if (request.headers['content-type']?.startsWith('application/json') !== true) {
      response.writeHead(415).end('Content-Type: application/json is required');
      return;
    }
    receive(request, response, (text) => {
      const reply = answerText(chain, text) ?? '';
      // With its length, head and body leave in one write.
      response.setHeader('content-type', 'application/json');
      response.setHeader('content-length', Buffer.byteLength(reply));
      response.end(reply);
    });
  });
}

function receive(
  request: IncomingMessage,
  response: ServerResponse,
  answer: (text: string) => void,
): void {
  const chunks: Buffer[] = [];
  let length = 0;
  request.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length > MAX_BODY_BYTES) {
      response.writeHead(413, { connection: 'close' }).end();
      request.destroy();
      return;
    }
    chunks.push(chunk);
  });
  request.on('end', () => {
    const [first] = chunks;
    const body = chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks);
    answer(body.toString('utf8'));
  });
}
