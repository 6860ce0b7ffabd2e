import { randomBytes } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { createDatabase, type Database } from '@agent-wallet/db';
import { findSpends } from '@agent-wallet/spend';
import { ed25519 } from '@noble/curves/ed25519.js';
import { PublicKey } from '@solana/web3.js';
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify';
import { pino } from 'pino';
import { sql } from 'slonik';
import { createTestDatabase } from '../../../tests/support/database/test-database.ts';
import { createApp } from '../src/app.ts';
import { createMetrics } from '../src/metrics.ts';
import type { Egress } from '../src/egress/egress.ts';
import { createDeliverer, type Deliverer } from '../src/service/deliverer.ts';
import { createSettlementWaiter, type SettlementWaiter } from '../src/spend/await-settlement.ts';
import { watchContract } from './contract-watch.ts';
import { createFakeChain, type FakeChain, sessionState } from './fake-chain.ts';

export const DASHBOARD = 'http://localhost:3000';

export type TestApp = AsyncDisposable & {
  readonly app: FastifyInstance;
  readonly db: Database;
  readonly chain: FakeChain;
  readonly waiter: SettlementWaiter;
  readonly clock: { nowMs: number };
  readonly nudged: string[];
  /** Stands for the workers: called with the session at each nudge. */
  onNudge: (sessionId: string) => Promise<void>;
  /** Stands for the services. */
  egress: Egress;
  readonly deliverer: Deliverer;
  readonly logLines: () => string;
};

type AppSettings = Parameters<typeof createApp>[0]['settings'];

const SETTINGS: AppSettings = {
  dashboardOrigin: DASHBOARD,
  cookieSecret: 'cookie-secret-of-the-tests-0123456789',
  apiKeyPepper: 'pepper-of-the-tests-0123456789-abcdef',
  cluster: 'devnet',
  keyPrefix: 'svc_dev_',
  signInPerMinute: 100_000,
  ratePerSecond: 100_000,
  rateBurst: 100_000,
  budgets: { lamportsPerDay: 1_000_000_000n, revertsPerDay: 100 },
  pendingLimits: { session: 256, wallet: 2_048 },
  agentExtensions: true,
  trustedProxies: 0,
};

/** The application on a database of its own, with a fake chain and no workers. */
export async function startTestApp(settings: Partial<AppSettings> = {}): Promise<TestApp> {
  const stack = new AsyncDisposableStack();
  const database = stack.use(await createTestDatabase());
  const db = await createDatabase({ url: database.url, poolSize: 6 });
  stack.defer(() => db.end());
  const chain = createFakeChain();
  const clock = { nowMs: Date.now() };
  const log = new PassThrough();
  const chunks: string[] = [];
  log.on('data', (chunk: Buffer) => chunks.push(chunk.toString()));
  const waiter = createSettlementWaiter({
    findSpends: (ids) => findSpends(db, ids),
    onFault: (error) => {
      throw error;
    },
  });
  const nudged: string[] = [];
  const metrics = createMetrics();
  const egress: Egress = (request) => testApp.egress(request);
  const deliverer = createDeliverer({
    db,
    egress,
    metrics,
    onFault: (error) => {
      throw error;
    },
  });
  const app = createApp({
    settings: { ...SETTINGS, ...settings },
    db,
    chain,
    waiter,
    nudge: async (sessionId) => {
      nudged.push(sessionId);
      await testApp.onNudge(sessionId);
    },
    egress,
    deliverer,
    metrics,
    health: { checks: {}, isDraining: () => false },
    logger: pino({ level: 'info' }, log),
    nowMs: () => clock.nowMs,
  });
  stack.defer(() => app.close());
  const contractFaults = watchContract(app);
  stack.defer(() => {
    if (contractFaults.length > 0) throw new Error([...new Set(contractFaults)].join('\n'));
  });
  const testApp: TestApp = {
    app,
    db,
    chain,
    waiter,
    clock,
    nudged,
    onNudge: async () => {},
    egress: () => Promise.reject(new Error('no service is expected to be asked')),
    deliverer,
    logLines: () => chunks.join(''),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
  return testApp;
}

export type Keypair = { readonly pubkey: string; readonly sign: (text: string) => string };

export function newKeypair(): Keypair {
  const secret = randomBytes(32);
  return {
    pubkey: new PublicKey(ed25519.getPublicKey(secret)).toBase58(),
    sign: (text) => Buffer.from(ed25519.sign(Buffer.from(text), secret)).toString('base64'),
  };
}

export const newAddress = (): string => newKeypair().pubkey;

export type Owner = {
  readonly pubkey: string;
  readonly call: (
    method: 'GET' | 'POST' | 'PUT' | 'PATCH',
    url: string,
    payload?: object,
    headers?: Record<string, string>,
  ) => Promise<LightMyRequestResponse>;
  readonly cookie: string;
};

/** A fresh owner, signed in. */
export async function signIn({ app }: TestApp, keypair = newKeypair()): Promise<Owner> {
  const nonce = await app.inject({ method: 'POST', url: '/v1/auth/siws/nonce' });
  const { nonce: value, message } = nonce.json<{ nonce: string; message: string }>();
  const text = message.replace('{pubkey}', keypair.pubkey);
  const answer = await app.inject({
    method: 'POST',
    url: '/v1/auth/siws',
    payload: { pubkey: keypair.pubkey, signature: keypair.sign(text), nonce: value },
  });
  const jwt = answer.cookies.find(({ name }) => name === 'svc_session')?.value ?? '';
  const cookie = `svc_session=${jwt}`;
  return {
    pubkey: keypair.pubkey,
    cookie,
    call: (method, url, payload, headers = {}) => {
      const options: InjectOptions = { method, url, headers: { cookie, ...headers } };
      return app.inject(payload === undefined ? options : { ...options, payload });
    },
  };
}

/** Puts a free session key where the tx-worker would. */
export async function addSessionKey({ db }: TestApp): Promise<string> {
  const pubkey = newAddress();
  await db.query(sql.unsafe`
    insert into session_key (pubkey, sealed, key_version)
    values (${pubkey}, ${sql.binary(Buffer.from('sealed'))}, 1)
  `);
  return pubkey;
}

export type Session = {
  readonly owner: Owner;
  readonly walletId: string;
  readonly sessionId: string;
  readonly sessionPda: string;
  readonly apiKey: string;
  readonly recipient: string;
};

/** A live session of a fresh owner: max 1 USDC per transfer, 5 per day, one recipient. */
export async function openSession(testApp: TestApp, liquid = 10_000_000n): Promise<Session> {
  const owner = await signIn(testApp);
  const wallet = (await owner.call('POST', '/v1/wallet', {})).json<{ wallet_id: string }>();
  testApp.chain.addVault(owner.pubkey, liquid);
  await addSessionKey(testApp);
  const recipient = newAddress();
  const created = await owner.call('POST', '/v1/session', {
    wallet_id: wallet.wallet_id,
    max_per_tx: 1_000_000,
    daily_cap: 5_000_000,
    expiry: 4_000_000_000,
    allowed_recipients: [recipient],
    allowed_instructions: 1,
  });
  const { session_id, session_pda, api_key } = created.json<{
    session_id: string;
    session_pda: string;
    api_key: string;
  }>();
  testApp.chain.sessions.set(session_pda, sessionState({ recipients: [recipient] }));
  return {
    owner,
    walletId: wallet.wallet_id,
    sessionId: session_id,
    sessionPda: session_pda,
    apiKey: api_key,
    recipient,
  };
}

export function transfer(
  testApp: TestApp,
  apiKey: string,
  payload: unknown,
  headers: Record<string, string> = {},
): Promise<LightMyRequestResponse> {
  return post(testApp, apiKey, '/v1/spend/transfer', payload, headers);
}

/** A POST of an agent. */
export function post(
  { app }: TestApp,
  apiKey: string,
  url: string,
  payload: unknown,
  headers: Record<string, string> = {},
): Promise<LightMyRequestResponse> {
  return app.inject({
    method: 'POST',
    url,
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', ...headers },
    payload: JSON.stringify(payload),
  });
}

/** How many spends a session has, whatever their state. */
export async function countSpends({ db }: TestApp, sessionId: string): Promise<number> {
  const rows = await db.any(sql.unsafe`
    select 1 as one from spend where session_id = ${sessionId}::uuid
  `);
  return rows.length;
}

/** Does what the workers do to the session's queued spends: lands them, or has them refused. */
export async function settleQueued(
  { db }: TestApp,
  sessionId: string,
  outcome: { readonly code: string; readonly detail: string } | null = null,
): Promise<void> {
  if (outcome === null) {
    await db.query(sql.unsafe`
      update spend set status = 'confirmed', attempt = 1, spend_seq = accepted_no,
        tx_signature = 'sig' || accepted_no, landed_slot = 900, settled_at = now()
      where session_id = ${sessionId}::uuid and status = 'queued'
    `);
    return;
  }
  await db.query(sql.unsafe`
    update spend set status = 'rejected', attempt = 1, spend_seq = accepted_no,
      code = ${outcome.code}, detail = ${outcome.detail}, settled_at = now()
    where session_id = ${sessionId}::uuid and status = 'queued'
  `);
}
