import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { z } from 'zod';

const call = z.looseObject({
  id: z.unknown(),
  method: z.string(),
  params: z.array(z.unknown()).optional(),
});

/** One JSON-RPC call as it came by. */
export type RpcCall = { readonly method: string; readonly params: readonly unknown[] };

/**
 * What the proxy does with a call: passes it on, or keeps it and answers in the chain's name.
 */
export type Fate = { readonly kind: 'forward' } | { readonly kind: 'answer'; result: unknown };

export type RpcProxy = AsyncDisposable & { readonly url: string };

/** A proxy in front of the chain's HTTP RPC that asks `decide` about every call. */
export async function startRpcProxy(
  chainRpcUrl: string,
  decide: (call: RpcCall) => Fate,
): Promise<RpcProxy> {
  const server = createServer((request, response) => {
    const reply = (status: number, body: string): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(body);
    };
    relay(request, chainRpcUrl, decide).then(
      (body) => reply(200, body),
      (error: unknown) => reply(502, JSON.stringify({ error: String(error) })),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the proxy has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function relay(
  request: IncomingMessage,
  chainRpcUrl: string,
  decide: (call: RpcCall) => Fate,
): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  const body = Buffer.concat(chunks).toString('utf8');
  const { id, method, params } = call.parse(JSON.parse(body));
  const fate = decide({ method, params: params ?? [] });
  if (fate.kind === 'answer') return JSON.stringify({ jsonrpc: '2.0', id, result: fate.result });
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(chainRpcUrl, { method: 'POST', headers, body });
  return answer.text();
}
