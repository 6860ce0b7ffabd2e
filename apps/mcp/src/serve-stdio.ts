import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';

export type Serving = {
  /** Resolves when the client has gone; never for a server of many clients. */
  readonly ended: Promise<string>;
  close(): Promise<void>;
};

/** Serves the client that started this process. */
export async function serveStdio(server: McpServer): Promise<Serving> {
  const ended = new Promise<string>((resolve) => {
    // The transport does not notice either of them.
    process.stdin.once('end', () => resolve('the client has closed stdin'));
    process.stdout.on('error', () => resolve('the client does not read stdout'));
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a server is no EventTarget
    server.server.onclose = () => resolve('the connection is closed');
  });
  await server.connect(new StdioServerTransport());
  return { ended, close: () => server.close() };
}
