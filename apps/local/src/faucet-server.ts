import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type Faucet } from './faucet.ts';
import { parseFaucetRequest } from './faucet-request.ts';

const BODY_BYTES_MAX = 4_096;

export interface FaucetServer {
  readonly url: string;
  stop(): Promise<void>;
}

interface Reply {
  readonly status: number;
  readonly body: object;
}

/**
 * Serves the faucet on loopback: `POST /faucet { address, lamports?, usdc? }`, amounts in base
 * units → 200 `{ signatures }`; 400 on bad input; 502 when the chain did not do it.
 */
export async function startFaucetServer(faucet: Faucet, port: number): Promise<FaucetServer> {
  const server = createServer((request, response) => {
    void answer(faucet, request).then(({ status, body }) => send(response, status, body));
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${port}/faucet`,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function answer(faucet: Faucet, request: IncomingMessage): Promise<Reply> {
  if (request.url !== '/faucet') return refuse(404, 'there is only POST /faucet');
  if (request.method !== 'POST') return refuse(405, 'use POST');
  try {
    const body = await readBody(request);
    if (body === undefined) return refuse(413, `the body is above ${BODY_BYTES_MAX} bytes`);
    const parsed = parseFaucetRequest(body);
    if (parsed.kind === 'bad') return refuse(400, parsed.reason);
    const { address, lamports, usdcBaseUnits } = parsed.request;
    const signatures: string[] = [];
    if (lamports !== undefined) signatures.push(await faucet.sol(address, lamports));
    if (usdcBaseUnits !== undefined) signatures.push(await faucet.usdc(address, usdcBaseUnits));
    return { status: 200, body: { signatures } };
  } catch (error) {
    return refuse(502, error instanceof Error ? error.message : String(error));
  }
}

function refuse(status: number, error: string): Reply {
  return { status, body: { error } };
}

async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > BODY_BYTES_MAX) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(`${JSON.stringify(body)}\n`);
}
