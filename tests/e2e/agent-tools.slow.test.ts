/** The tools on a running system: the MCP server, called by the official client, and frameworks. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { listInCatalog } from '@agent-wallet/local-system/paid-services/list-in-catalog.ts';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { beforeAll, describe, expect, inject, it, test } from 'vitest';
import { createAgentWallet, usdc } from '../../libs/sdk/src/index.ts';
import { outputPattern, readBlock, withoutSpace } from '../docs/read-blocks.ts';
import { createHttpOwner } from '../support/http/http-owner.ts';
import {
  type Called,
  callTool,
  connectHttp,
  connectStdio,
  startMcpHttp,
} from '../support/mcp/connect-mcp.ts';
import { FRAMEWORKS, runGuideProgram } from '../support/models/run-guide-program.ts';
import type { Script } from '../support/models/script.ts';
import { createLaneFixture } from '../support/system/lane-fixture.ts';
import { useSystem } from '../support/system/use-system.ts';

const FUNDS = usdc('5');
const ROOT = new URL('../../', import.meta.url);
const run = promisify(execFile);

const system = useSystem({ paidServices: true });
let env: Readonly<Record<string, string>> = {};
let recipient = '';
let stranger = '';

beforeAll(async () => {
  await using fixture = await createLaneFixture(system());
  recipient = await fixture.createRecipient();
  stranger = await fixture.createRecipient();
  await listInCatalog(system().databaseUrl, system().paidServices);
  const owner = await createHttpOwner(system(), fixture, FUNDS);
  const payees = system().paidServices.map(({ payTo }) => payTo);
  const { apiKey } = await owner.createSession({ recipients: [recipient, ...payees] });
  env = { AGENT_WALLET_URL: system().urls.api, AGENT_WALLET_KEY: apiKey };
});

/** Base units in the vault. */
async function liquid(): Promise<bigint> {
  const { AGENT_WALLET_URL: url = '', AGENT_WALLET_KEY: apiKey = '' } = env;
  return (await createAgentWallet({ url, apiKey }).position()).liquid ?? 0n;
}

/** A client whose calls are written down. */
function record(client: Client) {
  const lines: string[] = [];
  const call = async (name: string, input: Readonly<Record<string, unknown>>): Promise<Called> => {
    const output = await callTool(client, name, input);
    const { result, refusal } = output;
    lines.push(`→ ${name} ${JSON.stringify(input)}`, `← ${JSON.stringify({ result, refusal })}`);
    return output;
  };
  return { call, transcript: () => lines.join('\n') };
}

test('a session over stdio is the one that the guide shows', async () => {
  const client = await connectStdio(env);
  const { call, transcript } = record(client);
  const invoice = { recipient, amount: '0.25', request_id: 'invoice-2026-0117' };

  const limits = await call('get_limits', {});
  expect(limits.result).toMatchObject({ balance: '5', max_per_tx: '1', can_transfer: true });
  await call('quote_spend', { amount: '1.5', recipient });
  const paid = await call('transfer_usdc', invoice);
  const repeated = await call('transfer_usdc', invoice);
  expect(repeated.result?.['spend_id']).toBe(paid.result?.['spend_id']);
  expect(await liquid()).toBe(FUNDS - usdc('0.25'));
  const other = await call('transfer_usdc', { ...invoice, amount: '0.5' });
  expect(other.refusal).toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
  const large = { ...invoice, amount: '1.5', request_id: 'invoice-2026-0118' };
  const refused = await call('transfer_usdc', large);
  expect(refused).toMatchObject({
    isError: true,
    refusal: { code: 'AmountExceedsMaxPerTx', try_again: 'no', spend_id: expect.any(String) },
  });
  const forecast = { service: 'forecast', path: '/oslo?days=3', max_amount: '0.1' };
  const bought = await call('pay_service', { ...forecast, request_id: 'forecast-oslo-1' });
  const price = usdc(String(bought.result?.['paid']));
  expect(price).toBeGreaterThan(0n);
  expect(await liquid()).toBe(FUNDS - usdc('0.25') - price);
  await call('get_spend', { spend_id: bought.result?.['spend_id'] });
  await client.close();

  const shown = readBlock('docs/guides/mcp.md', 'text');
  expect(withoutSpace(transcript())).toMatch(outputPattern(shown));
  expect(transcript()).not.toContain(env['AGENT_WALLET_KEY']);
});

test("the example of the tools' README pays", async () => {
  const code = readBlock('libs/agent-tools/README.md', 'ts');
  const { AGENT_WALLET_URL: API = '', AGENT_WALLET_KEY: KEY = '' } = env;
  const before = await liquid();
  const { stdout } = await run(
    process.execPath,
    ['--input-type=module-typescript', '--eval', code],
    { cwd: fileURLToPath(ROOT), env: { API, KEY, RECIPIENT: recipient } },
  );
  expect(stdout).toContain("status: 'confirmed'");
  expect(before - (await liquid())).toBe(usdc('0.25'));
});

describe.each(FRAMEWORKS)('the program of the guide: $heading', (framework) => {
  const { model } = framework;
  const runProgram = (calls: Script) => {
    const { AGENT_WALLET_URL: API = '', AGENT_WALLET_KEY: KEY = '' } = env;
    const folder = join(inject('systemsDir'), `guide-${process.pid}-${model}`);
    return runGuideProgram(framework, folder, { env: { API, KEY }, calls });
  };

  it('pays once for a tool call that runs again, and tells the model its refusals', async () => {
    const before = await liquid();
    const transfer = { name: 'transfer_usdc', input: { recipient, amount: '0.25' } };
    const paid = { ...transfer, id: `call_${model}` };
    const other = { ...transfer, id: `call_other_${model}` };
    const [first, again, refused, invalid] = await runProgram([
      paid,
      paid,
      { ...other, input: { recipient: stranger, amount: '0.1' } },
      { ...other, input: { recipient } },
    ]);
    expect(first).toMatchObject({ result: { status: 'confirmed', amount: '0.25' }, refusal: null });
    expect(again).toEqual(first);
    expect(before - (await liquid())).toBe(usdc('0.25'));
    expect(refused?.refusal).toMatchObject({
      code: 'RecipientNotAllowed',
      reason: expect.stringContaining('list'),
      remedy: expect.stringContaining('get_limits'),
    });
    expect(invalid?.refusal).toMatchObject({ code: 'INVALID_INPUT', try_again: 'no' });
    const [resumed] = await runProgram([paid]);
    expect(resumed).toEqual(first);
    expect(before - (await liquid())).toBe(usdc('0.25'));
  });
});

describe('over Streamable HTTP', () => {
  it('pays once for a request_id, also when it is repeated over stdio', async () => {
    const server = await startMcpHttp(env);
    const [first, second] = await Promise.all([connectHttp(server.url), connectStdio(env)]);
    const before = await liquid();
    const payment = { recipient, amount: '0.1', request_id: 'both-transports' };
    const outputs = await Promise.all([
      callTool(first, 'transfer_usdc', payment),
      callTool(first, 'transfer_usdc', payment),
      callTool(second, 'transfer_usdc', payment),
    ]);
    expect(new Set(outputs.map(({ result }) => result?.['spend_id'])).size).toBe(1);
    expect(before - (await liquid())).toBe(usdc('0.1'));
    const unknown = await callTool(first, 'transfer_usdc', {
      ...payment,
      recipient: stranger,
      request_id: 'to-a-stranger',
    });
    expect(unknown.refusal).toMatchObject({ code: 'RecipientNotAllowed', try_again: 'no' });
    const { result } = await callTool(first, 'list_spends', { status: 'confirmed', limit: 1 });
    expect(result).toMatchObject({ spends: [{ amount: '0.1', recipient_or_url: recipient }] });
    await Promise.all([first.close(), second.close()]);
    await expect(server.stop()).resolves.toMatchObject({ code: 0, stdout: '' });
  });

  it('spends no more in a call than the person who runs it allows', async () => {
    const server = await startMcpHttp({ ...env, AGENT_WALLET_MAX_AMOUNT: '0.05' });
    const client = await connectHttp(server.url);
    const before = await liquid();
    const payment = { recipient, amount: '0.06', request_id: 'above-the-limit' };
    const { refusal } = await callTool(client, 'transfer_usdc', payment);
    expect(refusal).toMatchObject({ code: 'OVER_TOOL_LIMIT' });
    expect(await liquid()).toBe(before);
    await client.close();
    await server.stop();
  });
});
