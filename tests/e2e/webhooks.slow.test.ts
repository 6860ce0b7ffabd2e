/** The guide to webhooks, word for word on a running system, and a worker killed while it sends. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import {
  createServer,
  request as send,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Keypair, PublicKey } from '@solana/web3.js';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { z } from 'zod';
import { type AgentWallet, createAgentWallet, usdc } from '../../libs/sdk/src/index.ts';
import {
  createOwnerClient,
  keypairSigner,
  type OwnerClient,
} from '../../libs/sdk/src/owner/index.ts';
import { createLatch } from '../support/latch.ts';
import { createLaneFixture } from '../support/system/lane-fixture.ts';
import { useSystem } from '../support/system/use-system.ts';
import { waitUntil } from '../support/wait-until.ts';

const GUIDE = new URL('../../docs/guides/webhooks.md', import.meta.url);
const SDK = new URL('../../libs/sdk/src/owner/index.ts', import.meta.url).href;

/**
 * In front of the receivers, from before the system starts: the settings of both processes name its
 * port, which nobody else can take in between.
 */
let receive: RequestListener = (_request, response) => void response.writeHead(503).end();
const front = createServer((request, response) => receive(request, response));
await once(front.listen(0, '127.0.0.1'), 'listening');
const { port } = z.object({ port: z.int() }).parse(front.address());
const origin = `http://127.0.0.1:${port}`;
const env = { LOOPBACK_SERVICES: origin };
const system = useSystem({ env: { api: env, 'confirm-worker': env } });

let folder = '';
let owner: OwnerClient;
let agent: AgentWallet;
let recipient = '';
let webhookId = '';
let secret = '';

beforeAll(async () => {
  const { urls, programId, usdcMint, faucet } = system();
  const fixture = await createLaneFixture(system());
  recipient = await fixture.createRecipient();
  const keypair = Keypair.generate();
  await faucet.sol(keypair.publicKey, 1_000_000_000);
  const options = { url: urls.api, rpcUrl: urls.rpc, deployment: { programId, usdcMint } };
  owner = createOwnerClient({ ...options, signer: keypairSigner(keypair.secretKey) });
  await owner.signIn();
  const { wallet_id, transaction, vaultUsdcAta } = await owner.createWallet();
  await transaction.sendAndConfirm();
  await faucet.usdc(new PublicKey(vaultUsdcAta), usdc('5.5'));
  const session = await owner.createSession({
    wallet_id,
    max_per_tx: usdc('1'),
    daily_cap: usdc('1.5'),
    expiry: Math.floor(Date.now() / 1_000) + 3_600,
    allowed_instructions: 1,
    allowed_recipients: [recipient],
  });
  await session.transaction?.sendAndConfirm();
  agent = createAgentWallet({ url: urls.api, apiKey: session.api_key ?? '' });
  folder = join(inject('systemsDir'), `webhooks-${process.pid}`);
  mkdirSync(folder, { recursive: true });
  const [ownerBlock = '', receiverBlock = ''] = blocksOf(readFileSync(GUIDE, 'utf8'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n');
  writeFileSync(join(folder, 'create.ts'), ownerBlock);
  writeFileSync(join(folder, 'receive.js'), receiverBlock);
  writeFileSync(join(folder, 'tell-port.js'), TELL_PORT);
  const given = JSON.stringify(options);
  const key = JSON.stringify([...keypair.secretKey]);
  writeFileSync(
    join(folder, 'owner.ts'),
    `import { createOwnerClient, keypairSigner } from '${SDK}';
     const signer = keypairSigner(Uint8Array.from(${key}));
     export const owner = createOwnerClient({ ...${given}, signer });
     await owner.signIn();`,
  );
  return () => fixture[Symbol.asyncDispose]();
});

/** The blocks of TypeScript and JavaScript in the guide. */
const blocksOf = (markdown: string): readonly string[] =>
  Array.from(
    markdown.matchAll(/```[tj]s\n(?<code>.*?)```/gs),
    ({ groups }) => groups?.['code'] ?? '',
  );

/** Passes requests on to a port of this machine. */
const passTo =
  (receiverPort: number): RequestListener =>
  (request, response) => {
    const { method, url: path, headers } = request;
    const onward = send(
      { host: '127.0.0.1', port: receiverPort, method, path, headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    onward.once('error', () => response.destroy());
    request.pipe(onward);
  };

/** Tells the port that the receiver of the guide listens at, which the system has chosen. */
const TELL_PORT = `import { subscribe } from 'node:diagnostics_channel';
subscribe('tracing:net.server.listen:asyncEnd', ({ server }) => process.send(server.address().port));
`;

afterAll(() => {
  front.close();
  front.closeAllConnections();
});

const pay = async (amount: bigint) => agent.waitFor(await agent.transfer({ recipient, amount }));

describe('the guide', () => {
  let receiver: ChildProcess;
  let output = '';

  beforeAll(async () => {
    const run = promisify(execFile);
    const settings = { ...process.env, RECEIVER: `${origin}/hook` };
    const created = await run(process.execPath, ['create.ts'], { cwd: folder, env: settings });
    [webhookId = '', secret = ''] = created.stdout.trim().split(' ');
    receiver = spawn(process.execPath, ['--import', './tell-port.js', 'receive.js'], {
      cwd: folder,
      env: { ...process.env, SECRET: secret, PORT: '0' },
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    receiver.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const [told] = await once(receiver, 'message');
    receive = passTo(z.int().parse(told));
    return async () => {
      receiver.kill();
      await once(receiver, 'exit');
    };
  });

  it('tells the receiver what was paid and what was refused', async () => {
    expect(secret).toMatch(/^whsec_/);
    await pay(usdc('0.75'));
    await expect(pay(usdc('1'))).rejects.toMatchObject({ code: 'DailyCapExceeded' });
    const lines = await waitUntil('the events', () => {
      const found = output.trim().split('\n');
      return found.length >= 4 && found;
    });
    expect(lines.toSorted((a, b) => a.localeCompare(b))).toEqual([
      'session.daily_cap_reached 1500000',
      'spend.refused 1000000',
      'spend.settled 750000',
      'wallet.low_balance 4750000',
    ]);
  });

  it('has the receiver refuse what is not signed by the secret', async () => {
    const headers = {
      'webhook-id': 'evt_1',
      'webhook-timestamp': String(Math.floor(Date.now() / 1_000)),
      'webhook-signature': 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
    };
    const forged = await fetch(origin, {
      method: 'POST',
      headers,
      body: '{"type":"spend.settled"}',
    });
    expect(forged.status).toBe(400);
  });

  it('sends a test event, and shows what became of each', async () => {
    const { delivery_id } = await owner.webhooks.test(webhookId);
    await waitUntil('the test event', async () => {
      const [newest] = await Array.fromAsync(owner.webhooks.deliveries(webhookId));
      return newest?.delivery_id === delivery_id && newest.state === 'delivered';
    });
    const all = await Array.fromAsync(owner.webhooks.deliveries(webhookId));
    expect(all).toHaveLength(5);
    for (const one of all) expect(one).toMatchObject({ state: 'delivered', tries: 1 });
    const metrics = await (
      await fetch(`${system().urls.metrics['confirm-worker']}/metrics`)
    ).text();
    expect(metrics).toContain('agent_wallet_webhook_tries_total{outcome="delivered"} 5');
  });
});

it('a worker killed while it sends leaves the event to its successor, under the same id', async () => {
  const ids: string[] = [];
  const first = createLatch<ServerResponse>('the first request');
  receive = (request, response) => {
    ids.push(String(request.headers['webhook-id']));
    if (ids.length === 1) first.open(response);
    else response.writeHead(204).end();
  };
  await pay(1n);
  const held = await first.wait();
  await system().kill('confirm-worker');
  // The receiver has done its work; nobody is there to record it.
  held.writeHead(204).end();
  await system().restart('confirm-worker');
  await waitUntil('the lease to end and the event to come again', () => ids.length >= 2, {
    timeoutMs: 90_000,
  });
  const [sent] = await Array.fromAsync(owner.webhooks.deliveries(webhookId));
  expect(ids).toEqual([sent?.event_id, sent?.event_id]);
  await waitUntil('the record', async () => {
    const [event] = await Array.fromAsync(owner.webhooks.deliveries(webhookId));
    return event?.state === 'delivered' && event.tries === 2;
  });
});

it('no log holds the secret', () => {
  const { logsDir } = system();
  const logs = readdirSync(logsDir).filter((name) => name.endsWith('.log'));
  expect(logs).toContain('confirm-worker.log');
  for (const name of logs) expect(readFileSync(join(logsDir, name), 'utf8')).not.toContain(secret);
});
