/** The tools and the MCP server as npm gets them, in an empty project: what their guides show runs. */
import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createHttpOwner } from '../support/http/http-owner.ts';
import { callTool } from '../support/mcp/connect-mcp.ts';
import { FRAMEWORKS, runGuideProgram } from '../support/models/run-guide-program.ts';
import { installPacked, type PackedProject } from '../support/packages/install-packed.ts';
import { createLaneFixture } from '../support/system/lane-fixture.ts';
import { useSystem } from '../support/system/use-system.ts';
import { readBlock } from './read-blocks.ts';

const run = promisify(execFile);
const MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url));
const STRICT = (
  '--ignoreConfig --noEmit --strict --skipLibCheck --allowImportingTsExtensions ' +
  '--resolveJsonModule --module nodenext --target es2024'
).split(' ');
const FUNDS = 5_000_000n;

const system = useSystem();
let packed: PackedProject;
let recipient = '';
let stranger = '';
let env: Readonly<Record<'API' | 'KEY', string>>;

beforeAll(async () => {
  const others = ['sdk', 'mcp'] as const;
  packed = await installPacked('agent-tools', { others, peers: ['ai', '@langchain/core'] });
  await using fixture = await createLaneFixture(system());
  recipient = await fixture.createRecipient();
  stranger = await fixture.createRecipient();
  const owner = await createHttpOwner(system(), fixture, FUNDS);
  const { apiKey } = await owner.createSession({ recipients: [recipient] });
  env = { API: system().urls.api, KEY: apiKey };
  return packed.remove;
});

describe.each(FRAMEWORKS)('the packed tools: $heading', (framework) => {
  const folder = () => join(packed.folder, framework.model);

  it('pay, and refuse with a reason', async () => {
    const pay = { name: 'transfer_usdc', input: { recipient, amount: '0.25' } };
    const toStranger = { ...pay.input, recipient: stranger };
    const [paid, refused] = await runGuideProgram(framework, folder(), {
      env,
      calls: [
        { ...pay, id: `call_paid_${framework.model}` },
        { ...pay, id: `call_refused_${framework.model}`, input: toStranger },
      ],
    });
    expect(paid).toMatchObject({ result: { status: 'confirmed' }, refusal: null });
    // An error of the installed SDK, in the words of the tools, which have a copy of their own.
    expect(refused).toMatchObject({ refusal: { code: 'RecipientNotAllowed' } });
  });

  it('have types that fit those of the framework', async () => {
    const args = [...STRICT, '--types', 'node', '--typeRoots', join(MODULES, '@types'), 'agent.ts'];
    const checked = run(join(MODULES, '.bin/tsc'), args, { cwd: folder() });
    await expect(checked.catch((error: unknown) => error)).resolves.toMatchObject({ stdout: '' });
  });
});

describe('the packed MCP server', () => {
  it('starts as its README shows, and pays', async () => {
    const settings = z
      .object({ mcpServers: z.object({ 'agent-wallet': z.object({ command: z.string() }) }) })
      .parse(JSON.parse(readBlock('apps/mcp/README.md', 'json')));
    const { command } = settings.mcpServers['agent-wallet'];
    const client = new Client({ name: 'test', version: '1.0.0' });
    const transport = new StdioClientTransport({
      command: command.replace('<folder>', packed.folder),
      env: {
        PATH: dirname(process.execPath),
        AGENT_WALLET_URL: env.API,
        AGENT_WALLET_KEY: env.KEY,
      },
      stderr: 'ignore',
    });
    await client.connect(transport);
    const payment = { recipient, amount: '0.1', request_id: 'from-a-packed-server' };
    const paid = await callTool(client, 'transfer_usdc', payment);
    expect(paid).toMatchObject({ result: { status: 'confirmed' }, isError: false });
    await client.close();
  });
});
