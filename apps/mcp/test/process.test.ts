/** The server as a process, without an API: start, tools, who is admitted, shutdown. */
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { describe, expect, it, test } from 'vitest';
import {
  callTool,
  connectHttp,
  connectStdio,
  runMcp,
  startMcpHttp,
} from '../../../tests/support/mcp/connect-mcp.ts';

const KEY = 'svc_dev_not-for-any-output';
const TOKEN = 'token-of-at-least-thirty-two-characters';
/** No process listens on port 1. */
const ENV = { AGENT_WALLET_URL: 'http://127.0.0.1:1', AGENT_WALLET_KEY: KEY };

const TOOLS = [
  'get_limits',
  'list_services',
  'quote_spend',
  'transfer_usdc',
  'pay_service',
  'get_spend',
  'list_spends',
];

const status = async (url: string, init: RequestInit): Promise<number> =>
  (await fetch(url, init)).status;

async function expectTools(client: Client): Promise<void> {
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(TOOLS);
  for (const { outputSchema, annotations } of tools) {
    expect(outputSchema).toMatchObject({ type: 'object', required: ['result', 'refusal'] });
    expect(annotations?.readOnlyHint).toBe(annotations?.destructiveHint === false);
    expect(annotations?.idempotentHint).toBe(true);
  }
  const transfer = tools.find(({ name }) => name === 'transfer_usdc');
  expect(transfer?.annotations).toMatchObject({ readOnlyHint: false, destructiveHint: true });
  expect(transfer?.inputSchema.required).toEqual(['recipient', 'amount', 'request_id']);
}

describe('over stdio', () => {
  it('lists its tools with annotations and schemas', async () => {
    const client = await connectStdio(ENV);
    await expectTools(client);
    expect(client.getInstructions()).toContain('get_limits');
    await client.close();
  });

  it('ends with exit code 0 when its client closes stdin, with nothing on stdout', async () => {
    const { code, stdout, stderr } = await runMcp(ENV);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toContain('the client has closed stdin');
  });
});

test.each([
  [{ AGENT_WALLET_URL: ENV.AGENT_WALLET_URL }, 'AGENT_WALLET_KEY is missing'],
  [{ ...ENV, AGENT_WALLET_MAX_AMOUNT: 'lots' }, 'AGENT_WALLET_MAX_AMOUNT must be an amount'],
  [
    { ...ENV, MCP_TRANSPORT: 'http', MCP_HOST: '0.0.0.0' },
    'MCP_TOKEN must be set where MCP_HOST is not on loopback',
  ],
])('a wrong setting ends the start with one sentence', async (env, sentence) => {
  const { code, stdout, stderr } = await runMcp(env);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(
    new RegExp(`^agent-wallet-mcp: the environment variable ${sentence}.*\n$`),
  );
});

describe('over Streamable HTTP', () => {
  it('lists the same tools, to the bearer of its token alone', async () => {
    const server = await startMcpHttp({ ...ENV, MCP_TOKEN: TOKEN });
    await expect(connectHttp(server.url)).rejects.toThrow(/MCP_TOKEN|401/);
    const client = await connectHttp(server.url, { authorization: `Bearer ${TOKEN}` });
    await expectTools(client);
    await client.close();
    const { code, stdout, stderr } = await server.stop();
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).not.toContain(TOKEN);
  });

  it('refuses web pages, other methods and other paths', async () => {
    const server = await startMcpHttp(ENV);
    const post = { method: 'POST', body: '{}' };
    const origin = { origin: 'https://evil.example' };
    await expect(status(server.url, { ...post, headers: origin })).resolves.toBe(403);
    await expect(status(server.url, {})).resolves.toBe(405);
    await expect(status(new URL('/', server.url).href, post)).resolves.toBe(404);
    const large = { method: 'POST', body: 'x'.repeat(1_048_577) };
    await expect(status(server.url, large)).resolves.toBe(413);
    await server.stop();
  });
});

it('returns invalid arguments as an error that a model can correct', async () => {
  const client = await connectStdio(ENV);
  const reply = await client.callTool({ name: 'transfer_usdc', arguments: { amount: '0' } });
  expect(reply.isError).toBe(true);
  expect(JSON.stringify(reply.content)).toContain("decimal string such as '0.25'");
  const quote = await callTool(client, 'quote_spend', { amount: '1' });
  expect(quote).toMatchObject({ isError: true, refusal: { code: 'INVALID_INPUT' } });
  await client.close();
});
