/** The command line on a running system: the story of an owner and of an agent, by child processes. */
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { listInCatalog } from '@agent-wallet/local-system/paid-services/list-in-catalog.ts';
import { PublicKey } from '@solana/web3.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { runTool } from '../support/packages/run-tool.ts';
import { createLaneFixture, type LaneFixture } from '../support/system/lane-fixture.ts';
import { useSystem } from '../support/system/use-system.ts';

const MAIN = fileURLToPath(new URL('../../apps/cli/src/main.ts', import.meta.url));
const SOL = 1_000_000_000;
const FUNDS = 5_000_000n;

const system = useSystem({ paidServices: true });
let fixture: LaneFixture;
let folder = '';
let env: Record<string, string> = {};
let recipient = '';
let stranger = '';
let vaultUsdcAta = '';
let sessionId = '';

beforeAll(async () => {
  fixture = await createLaneFixture(system());
  folder = mkdtempSync(join(tmpdir(), 'command-line-'));
  recipient = await fixture.createRecipient();
  stranger = await fixture.createRecipient();
  await listInCatalog(system().databaseUrl, system().paidServices);
  const { urls, programId, usdcMint } = system();
  env = {
    PATH: process.env['PATH'] ?? '',
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
    AGENT_WALLET_URL: urls.api,
    AGENT_WALLET_KEYPAIR: join(folder, 'owner.json'),
    RPC_URL: urls.rpc,
    PROGRAM_ID: programId,
    USDC_MINT: usdcMint,
    AGENT_WALLET_NETWORK: 'local',
  };
  return async () => {
    rmSync(folder, { recursive: true });
    await fixture[Symbol.asyncDispose]();
  };
});

const tool = (...args: readonly string[]) => runTool([process.execPath, MAIN, ...args], env);

const record = z.record(z.string(), z.unknown());
const text = z.string();

/** The one JSON value of a command, which must end with this code. */
async function json(code: number, ...args: readonly string[]): Promise<z.output<typeof record>> {
  const ended = await tool(...args, '--json');
  expect(ended).toMatchObject({ code });
  return record.parse(JSON.parse(ended.out));
}

const sends = (...args: readonly string[]) => json(0, 'owner', ...args, '--yes');
const agent = (...args: readonly string[]) =>
  json(0, 'agent', ...args, '--key-file', join(folder, 'agent.key'));
const liquid = async () => (await agent('position'))['liquid'];

/** A server that takes requests and never replies. */
async function startSilentServer() {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = z.object({ port: z.int() }).parse(server.address());
  return {
    url: `http://127.0.0.1:${port}`,
    requested: once(server, 'request'),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

describe('an owner', () => {
  it('creates a key that is not written over', async () => {
    const file = join(folder, 'owner.json');
    const { address } = await json(0, 'owner', 'create-keypair', file);
    expect(await json(2, 'owner', 'create-keypair', file)).toMatchObject({ code: 'COMMAND' });
    expect((await tool('owner', 'address')).out).toBe(address);
    await system().faucet.sol(new PublicKey(text.parse(address)), SOL);
  });

  it('is shown what would be signed, and signs nothing without a terminal or --yes', async () => {
    const ended = await tool('owner', 'wallet', 'create', '--max-deployed', '12.5');
    expect(ended).toMatchObject({ code: 2, out: '' });
    expect(ended.err).toMatch(
      /^Signing in to localhost:\d+\.\nA vault will be created\. With the key of \w+ this will be signed/,
    );
    expect(ended.err).toMatch(/^ {2}create your vault, of which at most 12\.5 % may be deployed/m);
    expect(ended.err).toMatch(/^Nothing was signed: this is no terminal to ask at, so add --yes/m);
  });

  it('creates a vault, and sees the USDC that is sent to it', async () => {
    const created = await sends('wallet', 'create', '--max-deployed', '50');
    expect(created).toMatchObject({ status: 'confirmed', tx_signature: expect.any(String) });
    vaultUsdcAta = text.parse(created['vaultUsdcAta']);
    await system().faucet.usdc(new PublicKey(vaultUsdcAta), FUNDS);
    expect(await json(0, 'owner', 'wallet', 'show')).toMatchObject({
      status: 'active',
      liquid: '5',
    });
    expect((await tool('owner', 'wallet', 'show')).out).toMatch(/^in the vault +5 USDC$/m);
    expect((await tool('owner', 'deposit-address')).out).toBe(vaultUsdcAta);
    expect(
      await json(0, 'owner', 'transaction', text.parse(created['tx_signature'])),
    ).toMatchObject({
      status: 'confirmed',
    });
    expect(await json(1, 'owner', 'wallet', 'create', '--yes')).toMatchObject({
      code: 'WALLET_ALREADY_EXISTS',
    });
  });

  it('creates a session, whose key goes to a file that nobody else can read', async () => {
    const keyFile = join(folder, 'agent.key');
    const payees = system().paidServices.map(({ payTo }) => payTo);
    const limits = ['--max-per-tx', '1', '--daily-cap', '2', '--hours', '1.5'];
    const to = ['--recipient', recipient, ...payees];
    const args = ['session', 'create', ...limits, ...to, '--key-file', keyFile];
    const ended = await tool('owner', ...args, '--yes', '--json');
    expect(ended).toMatchObject({ code: 0 });
    expect(ended.err).toMatch(
      /^ {2}create session \d+ with at most 1 USDC in one payment, 2 USDC in any 24 hours, until \S+Z, for transfers; recipients: /m,
    );
    const created = record.parse(JSON.parse(ended.out));
    expect(created).toMatchObject({ status: 'confirmed', key_file: keyFile });
    expect(created).not.toHaveProperty('api_key');
    expect(ended.out + ended.err).not.toContain(readFileSync(keyFile, 'utf8').trim());
    expect(statSync(keyFile).mode & 0o777).toBe(0o600);
    sessionId = text.parse(created['session_id']);
    expect(await json(0, 'owner', 'session', 'show', sessionId)).toMatchObject({
      status: 'live',
      max_per_tx: '1',
      daily_cap: '2',
    });
    expect((await tool('owner', 'session', 'list')).out).toMatch(
      new RegExp(`^${sessionId} +live +1 +2 +2 `, 'm'),
    );
  });

  it('changes limits and recipients; what is left out stays', async () => {
    await sends('session', 'limits', sessionId, '--daily-cap', '3');
    await sends('session', 'recipients', sessionId, '--recipient', recipient, stranger);
    expect(await json(0, 'owner', 'session', 'show', sessionId)).toMatchObject({
      max_per_tx: '1',
      daily_cap: '3',
      allowed_recipients: [recipient, stranger],
    });
    const payees = system().paidServices.map(({ payTo }) => payTo);
    await sends('session', 'recipients', sessionId, '--recipient', recipient, ...payees);
  });

  it('sets rules from a file, which must be whole', async () => {
    const file = join(folder, 'policy.json');
    const url_allowlist = [{ pattern: 'https://api.example.com/v1/**', max_per_call: '0.05' }];
    writeFileSync(file, JSON.stringify({ url_allowlist }));
    const refused = await tool('owner', 'policy', 'set', file, '--yes');
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('time_window') });
    writeFileSync(file, JSON.stringify({ url_allowlist, time_window: null }));
    const set = await tool('owner', 'policy', 'set', file, '--yes');
    expect(set).toMatchObject({ code: 0, out: 'Version 1 of the rules is in force.' });
    expect(set.err).toContain('https://api.example.com/v1/**, at most 0.05 USDC a call');
    expect(await json(0, 'owner', 'policy', 'show')).toMatchObject({ version: 1, url_allowlist });
  });
});

describe('an agent', () => {
  it('looks at its limits, and asks whether a payment would pass', async () => {
    expect(await agent('limits')).toMatchObject({ max_per_tx: '1', daily_cap: '3', liquid: '5' });
    expect(await agent('quote', '0.25', '--recipient', recipient)).toMatchObject({ allowed: true });
    const quote = ['quote', '1.5', '--recipient', recipient];
    const keyFile = ['--key-file', join(folder, 'agent.key')];
    const refused = await tool('agent', ...quote, ...keyFile);
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.out).toContain('AmountExceedsMaxPerTx');
  });

  it('pays once for an idempotency key, and sees the spend', async () => {
    const payment = ['transfer', recipient, '0.25', '--idempotency-key', 'invoice-7'];
    const paid = await agent(...payment);
    expect(paid).toMatchObject({ status: 'confirmed', amount: '0.25' });
    expect(await agent(...payment)).toMatchObject({ spend_id: paid['spend_id'] });
    expect(await liquid()).toBe('4.75');
    expect(await agent('spend', text.parse(paid['spend_id']))).toMatchObject({
      status: 'confirmed',
      tx_signature: paid['tx_signature'],
    });
    const list = await tool('agent', 'spends', '--key-file', join(folder, 'agent.key'));
    expect(list.out).toMatch(new RegExp(` confirmed +transfer +0\\.25 +${recipient} `));
  });

  it('is refused with the reason, and exit code 1', async () => {
    const over = await tool(
      'agent',
      'transfer',
      recipient,
      '1.5',
      '--key-file',
      join(folder, 'agent.key'),
    );
    expect(over).toMatchObject({ code: 1, out: '' });
    expect(over.err).toMatch(/^On-chain submission failed \(AmountExceedsMaxPerTx\)/);
    const keyFile = ['--key-file', join(folder, 'agent.key')];
    expect(await json(1, 'agent', 'transfer', stranger, '0.1', ...keyFile)).toMatchObject({
      code: 'RecipientNotAllowed',
    });
    env = { ...env, AGENT_WALLET_KEY: 'svc_dev_unknown' };
    expect(await json(1, 'agent', 'limits')).toMatchObject({ code: 'INVALID_API_KEY' });
    const { AGENT_WALLET_KEY: _key, ...rest } = env;
    env = rest;
  });

  it('pays services by slug and by URL', async () => {
    const before = await liquid();
    const services = await tool('agent', 'services', '--key-file', join(folder, 'agent.key'));
    expect(services.out).toMatch(/^forecast +/m);
    const bought = await agent('pay', 'forecast', '/oslo', '--max', '0.1');
    expect(bought).toMatchObject({ status: 200, tx_signature: expect.any(String) });
    expect(bought['body']).toContain('light rain');
    const forecast = system().paidServices.find(({ slug }) => slug === 'forecast');
    const request = ['agent', 'fetch', `${forecast?.url}/bergen`, '--max', '0.1'];
    const fetched = await tool(...request, '--key-file', join(folder, 'agent.key'));
    expect(fetched).toMatchObject({ code: 0, out: expect.stringContaining('"place":"bergen"') });
    expect(fetched.err).toMatch(/^HTTP 200, paid with transaction \w+, spend \S+\.$/);
    expect(await liquid()).not.toBe(before);
    const dear = ['agent', 'pay', 'forecast', '/oslo', '--max', '0.000001'];
    const refused = await tool(...dear, '--key-file', join(folder, 'agent.key'));
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('raise --max') });
  });

  it('who interrupts a payment learns how to look again, and does not pay twice', async () => {
    const before = Number(await liquid());
    await using silent = await startSilentServer();
    const keyFile = ['--key-file', join(folder, 'agent.key')];
    const payment = ['agent', 'transfer', recipient, '0.1', ...keyFile];
    const ended = await runTool(
      [process.execPath, MAIN, ...payment, '--url', silent.url],
      env,
      async (kill) => {
        await silent.requested;
        kill('SIGINT');
      },
    );
    expect(ended).toMatchObject({ code: 3, out: '' });
    const key = /--idempotency-key (?<key>\S+),/.exec(ended.err)?.groups?.['key'] ?? '';
    await json(0, ...payment, '--idempotency-key', key);
    await json(0, ...payment, '--idempotency-key', key);
    expect(Number(await liquid())).toBeCloseTo(before - 0.1);
  });
});

describe('an owner with a live session', () => {
  it('who interrupts a transaction learns its signature', async () => {
    await using silent = await startSilentServer();
    const ended = await runTool(
      [process.execPath, MAIN, 'owner', 'pause', '--yes', '--json', '--rpc', silent.url],
      env,
      async (kill) => {
        await silent.requested;
        kill('SIGINT');
      },
    );
    expect(ended).toMatchObject({ code: 3 });
    const sent = record.parse(JSON.parse(ended.out));
    expect(sent).toMatchObject({ status: 'pending', tx_signature: expect.any(String) });
    expect(await json(3, 'owner', 'transaction', text.parse(sent['tx_signature']))).toMatchObject({
      status: 'unknown',
    });
  });

  it('pauses and resumes', async () => {
    await sends('pause');
    const keyFile = ['--key-file', join(folder, 'agent.key')];
    const refused = await json(1, 'agent', 'transfer', recipient, '0.1', ...keyFile);
    expect(refused).toMatchObject({ code: 'VaultPaused' });
    await sends('resume');
    expect(await agent('transfer', recipient, '0.1')).toMatchObject({ status: 'confirmed' });
  });

  it('reads the decisions and spends as tables', async () => {
    const denied = await tool('owner', 'audit', '--decision', 'deny', '--session', sessionId);
    expect(denied.out).toMatch(/^TIME +DECISION +ACTION +USDC +RECIPIENT OR URL +REASON/);
    expect(denied.out).toMatch(/^\S+Z +deny +transfer +1\.5 +\w+ +AmountExceedsMaxPerTx/m);
    const one = await tool('owner', 'audit', '--limit', '1', '--json');
    expect(JSON.parse(one.out)).toHaveLength(1);
    const spends = await tool('owner', 'spends', '--kind', 'pay_service', '--from', '2020-01-01');
    expect(spends.out).toMatch(/^\S+Z +confirmed +pay_service +0\.02 /m);
  });

  it('rotates the key: the old one is refused at once', async () => {
    const keyFile = join(folder, 'new.key');
    await sends('session', 'rotate-key', sessionId, '--key-file', keyFile);
    const old = ['--key-file', join(folder, 'agent.key')];
    expect(await json(1, 'agent', 'limits', ...old)).toMatchObject({ code: 'API_KEY_REVOKED' });
    expect(await json(0, 'agent', 'limits', '--key-file', keyFile)).toMatchObject({
      status: 'live',
    });
  });

  it('moves USDC to the yield reserve and back', async () => {
    await sends('yield', 'deposit', '1');
    const position = await json(0, 'owner', 'yield', 'show');
    expect(position).toMatchObject({ deployed: '1' });
    await sends('yield', 'withdraw', 'all');
    expect((await tool('owner', 'yield', 'show')).out).toMatch(/^deployed +0 USDC$/m);
  });

  it('withdraws an amount and then all, and revokes the session', async () => {
    await sends('withdraw', '0.5');
    await sends('withdraw', 'all');
    expect(await json(0, 'owner', 'wallet', 'show')).toMatchObject({ liquid: '0' });
    await sends('session', 'revoke', sessionId);
    expect(await json(0, 'owner', 'session', 'show', sessionId)).toMatchObject({
      status: 'revoked',
    });
    const keyFile = ['--key-file', join(folder, 'new.key')];
    expect(await json(1, 'agent', 'limits', ...keyFile)).toMatchObject({ code: 'SESSION_REVOKED' });
  });
});
