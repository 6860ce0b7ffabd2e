import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type Faucet } from './faucet.ts';
import { parseFaucetRequest } from './faucet-request.ts';
import type { ReserveMarket } from '../chain/reserve-market.ts';
import { parseReserveRequest, type ReserveRequest } from '../chain/reserve-request.ts';

const BODY_BYTES_MAX = 4_096;

export interface FaucetServer {
  readonly url: string;
  readonly reserveUrl: string;
  stop(): Promise<void>;
}

interface Reply {
  readonly status: number;
  readonly body: object;
}

/** The parts of the embedded chain that the server controls. */
export type LocalChain = { readonly faucet: Faucet; readonly reserve: ReserveMarket };

/**
 * Serves on loopback, amounts in base units:
 * `POST /faucet { address, lamports?, usdc? }` and, for the yield reserve of the embedded chain,
 * `POST /reserve { lend_out } | { accrue: <basis points of what is lent out> } | { repay: true }`.
 * Returns 200 `{ signatures }`, 400 on bad input and 502 when the chain transaction failed.
 */
export async function startFaucetServer(chain: LocalChain, port: number): Promise<FaucetServer> {
  const server = createServer((request, response) => {
    void answer(chain, request).then(({ status, body }) => send(response, status, body));
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${port}/faucet`,
    reserveUrl: `http://127.0.0.1:${port}/reserve`,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function answer(chain: LocalChain, request: IncomingMessage): Promise<Reply> {
  const serve = { '/faucet': give, '/reserve': move }[request.url ?? ''];
  if (serve === undefined) return refuse(404, 'there is only POST /faucet and POST /reserve');
  if (request.method !== 'POST') return refuse(405, 'use POST');
  try {
    const body = await readBody(request);
    if (body === undefined) return refuse(413, `the body is above ${BODY_BYTES_MAX} bytes`);
    return await serve(chain, body);
  } catch (error) {
    return refuse(502, error instanceof Error ? error.message : String(error));
  }
}

async function give({ faucet }: LocalChain, body: string): Promise<Reply> {
  const parsed = parseFaucetRequest(body);
  if (parsed.kind === 'bad') return refuse(400, parsed.reason);
  const { address, lamports, usdcBaseUnits } = parsed.request;
  const signatures: string[] = [];
  if (lamports !== undefined) signatures.push(await faucet.sol(address, lamports));
  if (usdcBaseUnits !== undefined) signatures.push(await faucet.usdc(address, usdcBaseUnits));
  return { status: 200, body: { signatures } };
}

async function move({ reserve }: LocalChain, body: string): Promise<Reply> {
  const wanted = parseReserveRequest(body);
  if (wanted === null) {
    return refuse(400, 'the body must be one of { lend_out }, { accrue } and { "repay": true }');
  }
  return { status: 200, body: { signatures: [await moveReserve(reserve, wanted)] } };
}

async function moveReserve(reserve: ReserveMarket, wanted: ReserveRequest): Promise<string> {
  if ('lend_out' in wanted) return reserve.lendOut(wanted.lend_out);
  if ('accrue' in wanted) return reserve.accrue(wanted.accrue);
  return reserve.repay();
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
