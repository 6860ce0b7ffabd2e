/** The MCP server as a process of its own, and the official client that talks to it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';

const MAIN = fileURLToPath(new URL('../../../apps/mcp/src/main.ts', import.meta.url));
const INFO = { name: 'test', version: '1.0.0' };

type Environment = Readonly<Record<string, string>>;

/** The client over stdio: it starts the server, and ends it when it is closed. */
export async function connectStdio(env: Environment): Promise<Client> {
  const client = new Client(INFO);
  const command = { command: process.execPath, args: [MAIN], env: { ...env } };
  await client.connect(new StdioClientTransport({ ...command, stderr: 'ignore' }));
  return client;
}

export type McpProcess = {
  readonly url: string;
  /** Sends SIGTERM; the exit code, and what the process wrote. */
  stop(): Promise<Ended>;
};

export type Ended = {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
};

/** Runs the server with a client that closes stdin at once. */
export async function runMcp(env: Environment): Promise<Ended> {
  const { child, ended } = start(env);
  child.stdin.end();
  return ended;
}

/** Starts the server with HTTP on a free port of loopback. */
export async function startMcpHttp(env: Environment): Promise<McpProcess> {
  const { child, ended } = start({ ...env, MCP_TRANSPORT: 'http', MCP_PORT: '0' });
  const ready = new Promise<string>((resolve) => {
    createInterface(child.stderr).on('line', (line) => {
      const url = /serves (?<url>http\S+)/.exec(line)?.groups?.['url'];
      if (url !== undefined) resolve(url);
    });
  });
  const url = await Promise.race([ready, ended]);
  if (typeof url !== 'string') throw new Error(`the server has ended: ${url.stderr}`);
  return {
    url,
    stop: () => {
      child.kill('SIGTERM');
      return ended;
    },
  };
}

/** The client over Streamable HTTP. */
export async function connectHttp(url: string, headers: Environment = {}): Promise<Client> {
  const client = new Client(INFO);
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
  await client.connect(transport);
  return client;
}

const toolOutput = z.object({
  result: z.record(z.string(), z.unknown()).nullable(),
  refusal: z.record(z.string(), z.unknown()).nullable(),
});

export type Called = z.output<typeof toolOutput> & { readonly isError: boolean };

/** Calls a tool; its text must repeat its structured content. */
export async function callTool(
  client: Client,
  name: string,
  input: Readonly<Record<string, unknown>>,
): Promise<Called> {
  const reply = CallToolResultSchema.parse(
    await client.callTool({ name, arguments: { ...input } }),
  );
  const [content] = reply.content;
  const text = content?.type === 'text' ? content.text : '';
  if (reply.structuredContent === undefined) throw new Error(`not structured: ${text}`);
  if (text !== JSON.stringify(reply.structuredContent)) throw new Error('the text differs');
  return { ...toolOutput.parse(reply.structuredContent), isError: reply.isError === true };
}

function start(env: Environment) {
  const child = spawn(process.execPath, [MAIN], { env: { ...env }, stdio: 'pipe' });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const ended = once(child, 'close').then((): Ended => ({ code: child.exitCode, stdout, stderr }));
  return { child, ended };
}
