import { join } from 'node:path';
import { hashProgram } from '@agent-wallet/chain';
import { PROGRAM_FILE } from '@agent-wallet/local-system/chain/chain-facts.ts';
import { appProcesses } from '@agent-wallet/local-system/system/app-processes.ts';
import { startSystem, type System } from '@agent-wallet/local-system/system/start-system.ts';
import { Keypair, Transaction } from '@solana/web3.js';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, inject } from 'vitest';
import {
  type MainnetChain,
  somebody,
  startMainnetChain,
} from '../../support/chain/mainnet-chain.ts';
import { createTestDatabase } from '../../support/database/test-database.ts';
import { callApi } from '../../support/http/call-api.ts';
import { signIn } from '../../support/http/sign-in.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { row } from '../row.ts';
import { bearer, call, refused, world } from '../world.ts';

const AUDITED = hashProgram(readFileSync(PROGRAM_FILE));
const SOL = 1_000_000_000;

const stack = new AsyncDisposableStack();
let chain: MainnetChain;
let system: System;

beforeAll(async () => {
  chain = stack.use(await startMainnetChain());
  system = stack.use(await startOnMainnet({}));
});
afterAll(() => stack.disposeAsync());

/** Real processes on the chain that presents itself as the main network. */
async function startOnMainnet(changed: Readonly<Record<string, string>>): Promise<System> {
  const database = stack.use(await createTestDatabase());
  const env = {
    ALLOW_MAINNET: 'true',
    AUDIT_SHA256: AUDITED,
    UPGRADE_MULTISIG: chain.multisig,
    RPC_URL: chain.rpcUrls.join(','),
    ...changed,
  };
  return startSystem({
    databaseUrl: database.url,
    dataDir: join(inject('systemsDir'), `main-network-${process.pid}-${database.url.slice(-6)}`),
    processes: appProcesses,
    rpcUrl: chain.rpcUrls[0],
    programId: chain.programId,
    usdcMint: chain.usdcMint,
    env: { api: env, 'tx-worker': env, 'confirm-worker': env },
  });
}

async function ownerSends(owner: Keypair, txBase64: unknown): Promise<void> {
  const transaction = Transaction.from(Buffer.from(String(txBase64), 'base64'));
  transaction.sign(owner);
  const signature = await chain.connection.sendRawTransaction(transaction.serialize());
  await waitUntil('the transaction is confirmed', async () => {
    const { value } = await chain.connection.getSignatureStatuses([signature]);
    return value[0]?.confirmationStatus === 'confirmed';
  });
}

row('versioning.main-network', async () => {
  const owner = Keypair.generate();
  await chain.faucet.sol(owner.publicKey, SOL);
  const cookie = await signIn(system, owner);
  const asOwner = async (path: string, body: object) =>
    (await callApi(system, 'POST', path, { headers: { cookie }, body })).body;
  const wallet = await asOwner('/v1/wallet', { max_deployed_fraction_bp: 0 });
  await ownerSends(owner, wallet['txBase64']);
  const recipient = Keypair.generate().publicKey;
  const session = await asOwner('/v1/session', {
    wallet_id: wallet['wallet_id'],
    max_per_tx: 1_000,
    daily_cap: 1_000,
    expiry: 4_000_000_000,
    allowed_recipients: [recipient.toBase58()],
    allowed_instructions: 1,
  });
  await ownerSends(owner, session['txBase64']);
  const apiKey = String(session['api_key']);
  expect(apiKey).toMatch(/^svc_prod_[A-Za-z0-9_-]{43}$/);
  const position = (key: string) =>
    callApi(system, 'GET', '/v1/yield/position', { headers: bearer(key) });
  expect((await position(apiKey)).status).toBe(200);

  // A key is refused by the other cluster, which says so, whatever follows its prefix.
  const elsewhere = await call('GET', '/v1/yield/position', { headers: bearer(apiKey) });
  expect(elsewhere).toMatchObject(
    refused(401, 'invalid api key', { detail: expect.stringContaining('svc_dev_') }),
  );
  const ofTestNetwork = await position(apiKey.replace('svc_prod_', 'svc_dev_'));
  expect(ofTestNetwork).toMatchObject(
    refused(401, 'invalid api key', { detail: expect.stringContaining('svc_prod_') }),
  );
  for (const logsDir of [system.logsDir, join(inject('systemsDir'), 'conformance', 'logs')]) {
    expect(readFileSync(join(logsDir, 'api.log'), 'utf8')).not.toContain(apiKey.slice(9));
  }
  expect(world.programId).toBe(chain.programId);
});

row('versioning.upgrade-authority', async () => {
  const key = somebody();
  chain.setAuthority(key);
  await using stopped = new AsyncDisposableStack();
  const start = startOnMainnet({}).then((one) => stopped.use(one));
  await expect(start).rejects.toThrow(`${key} can replace the program`);
});
