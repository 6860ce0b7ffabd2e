/**
 * The WebSocket address of an RPC endpoint by the convention of nodes and providers: the same host
 * and path, and where the URL names a port, the next one.
 */
export function socketUrlOf(rpcUrl: string): string {
  const url = new URL(rpcUrl);
  if (url.port !== '') url.port = String(Number(url.port) + 1);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  return url.href;
}
