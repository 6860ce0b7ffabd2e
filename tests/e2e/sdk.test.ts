/** The client of an agent against a running system: every call, and the `fetch` that pays. */
import {
  createProofCheck,
  createProofService,
} from '@agent-wallet/local-system/paid-services/proof-service.ts';
import { TEST_NETWORK } from '@agent-wallet/local-system/paid-services/test-network.ts';
import { createX402Service } from '@agent-wallet/local-system/paid-services/x402-service.ts';
import { listInCatalog } from '@agent-wallet/local-system/paid-services/list-in-catalog.ts';
import { Keypair } from '@solana/web3.js';
import { wrapFetchWithPayment, x402Client, x402HTTPClient } from '@x402/fetch';
import { beforeAll, describe, expect, it, test } from 'vitest';
import { z } from 'zod';
import { AGENT_CALLS, CONFIG_CALL } from '../../libs/sdk/src/agent/calls.ts';
import { type AgentWallet, createAgentWallet, usdc } from '../../libs/sdk/src/index.ts';
import { registerAgentWallet } from '../../libs/sdk/src/x402/index.ts';
import { createHttpOwner } from '../support/http/http-owner.ts';
import { openFacilitator } from '../support/services/in-process-facilitator.ts';
import { createCounter, openServiceStreet } from '../support/services/service-street.ts';
import { createLaneFixture, type LaneFixture } from '../support/system/lane-fixture.ts';
import { useSystem } from '../support/system/use-system.ts';

const FUNDS = usdc('10');
const PRICE = usdc('0.02');
const SHOP = 'https://shop.example';
const EVERY_INSTRUCTION = 7;

const street = await openServiceStreet();
const system = useSystem({ paidServices: true });
const counter = createCounter();
/** The requests that reached a service without the API, as `METHOD path`. */
const direct: string[] = [];
let fixture: LaneFixture;
let wallet: AgentWallet;
let recipient: string;
let payee: string;

beforeAll(async () => {
  fixture = await createLaneFixture(system());
  [recipient, payee] = await Promise.all([fixture.createRecipient(), fixture.createRecipient()]);
  await listInCatalog(system().databaseUrl, system().paidServices);
  const settings = { max_deployed_fraction_bp: 8_000 };
  const owner = await createHttpOwner(system(), fixture, FUNDS, settings);
  const payees = system().paidServices.map(({ payTo }) => payTo);
  const { apiKey } = await owner.createSession({
    recipients: [recipient, payee, ...payees],
    allowedInstructions: EVERY_INSTRUCTION,
  });
  const shop = { pattern: `${SHOP}/**`, max_per_call: PRICE };
  await owner.client.setPolicy({ url_allowlist: [shop], time_window: null });
  wallet = createAgentWallet({
    url: system().urls.api,
    apiKey,
    fetch: toStreet,
  });
  openShop('proofs', createProofCheck({ rpcUrl: system().urls.rpc, ...terms() }));
  return async () => {
    await street[Symbol.asyncDispose]();
    await fixture[Symbol.asyncDispose]();
  };
});

const terms = () => ({ payTo: payee, asset: system().usdcMint, amount: PRICE });

const openShop = (name: string, check: ReturnType<typeof createProofCheck>) =>
  street.open(name, createProofService({ ...terms(), check, sell: counter.sell }));

/** A service of the reference server and facilitator, which allows the wallet's program. */
async function openStandardShop(): Promise<void> {
  const feePayer = Keypair.generate();
  await system().faucet.sol(feePayer.publicKey, 1_000_000_000);
  const rpcUrl = system().urls.rpc;
  const { programId, usdcMint } = fixture.program;
  const facilitator = await openFacilitator({ rpcUrl, feePayer, programId, usdcMint });
  const { sell } = counter;
  street.open('standard', await createX402Service({ ...terms(), facilitator, sell }));
}

/** Payments are for https URLs only: a host of that scheme stands for the services here. */
function toStreet(url: string | URL, init?: RequestInit): Promise<Response> {
  const target = new URL(url);
  if (target.origin !== SHOP) return fetch(target, init);
  direct.push(`${init?.method ?? 'GET'} ${target.pathname}`);
  return fetch(`${street.origin}${target.pathname}${target.search}`, init);
}

/** The client of `@x402/fetch` with the wallet. */
function openX402Client() {
  const client = new x402Client();
  const httpClient = new x402HTTPClient(client);
  registerAgentWallet({ client, httpClient }, wallet, { maxAmount: PRICE });
  return wrapFetchWithPayment(async (input, init) => {
    const { url, method, headers } = new Request(input, init);
    const { status, body, headers: sent } = await toStreet(url, { method, headers });
    // Without the address of the stand-in, which is not https.
    return new Response(body, { status, headers: sent });
  }, httpClient);
}

const localService = (proof: 'x402' | 'x-payment-proof') => {
  const found = system().paidServices.find((service) => service.proof === proof);
  if (found === undefined) throw new Error(`no local service with ${proof}`);
  return found;
};

const liquid = async () => (await wallet.position()).liquid ?? 0n;

/** The error of a call, and by how much the vault's balance changed. */
async function failing(call: () => Promise<unknown>) {
  const before = await liquid();
  const error: unknown = await call().then(
    () => null,
    (thrown: unknown) => thrown,
  );
  return { error, moved: (await liquid()) - before };
}

test('the client has a call for every operation that takes an API key, and for no other', async () => {
  const operation = z.looseObject({
    security: z.array(z.record(z.string(), z.unknown())),
    parameters: z.array(z.looseObject({ $ref: z.string().optional() })).optional(),
    requestBody: z.unknown().optional(),
  });
  const paths = z.record(z.string(), z.record(z.string(), operation));
  const response = await fetch(`${system().urls.api}/openapi.json`);
  const document = z.object({ paths }).parse(await response.json());
  expect(document.paths[CONFIG_CALL.path]).toHaveProperty('get');
  const served = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { security }]) => security.some((one) => 'agentKey' in one))
      .map(([method, { parameters = [], requestBody }]) => ({
        operation: `${method.toUpperCase()} ${path}`,
        hasBody: requestBody !== undefined,
        movesMoney: parameters.some(({ $ref }) => $ref?.endsWith('/IdempotencyKey') === true),
      })),
  );
  const called = Object.values(AGENT_CALLS).map(({ method, path, body, movesMoney }) => ({
    operation: `${method} ${path}`,
    hasBody: body !== null,
    movesMoney,
  }));
  const sorted = (operations: typeof called) =>
    operations.toSorted((a, b) => a.operation.localeCompare(b.operation));
  expect(sorted(called)).toEqual(sorted(served));
});

describe('an agent', () => {
  it('reads its position and its limits as base units', async () => {
    const total = { liquid: FUNDS, deployed: 0n, total_balance: FUNDS };
    await expect(wallet.position()).resolves.toMatchObject(total);
    await expect(wallet.limits()).resolves.toMatchObject({
      max_per_tx: usdc('1'),
      daily_spent: 0n,
      url_allowlist: [{ pattern: `${SHOP}/**`, max_per_call: PRICE }],
    });
    const quote = await wallet.quote({ kind: 'transfer', recipient, amount: usdc('1.5') });
    expect(quote).toMatchObject({
      allowed: false,
      refusals: [{ status: 402, code: 'AmountExceedsMaxPerTx' }],
    });
  });

  it('pays once under one key, and finds the spend again', async () => {
    const before = await liquid();
    const payment = { recipient, amount: usdc('0.25') };
    const options = { idempotencyKey: 'invoice-17' };
    const first = await wallet.transfer(payment, options);
    const second = await wallet.transfer(payment, options);
    expect(second.spend_id).toBe(first.spend_id);
    await expect(wallet.waitFor(first)).resolves.toMatchObject({
      kind: 'transfer',
      amount: usdc('0.25'),
      tx_signature: expect.any(String),
    });
    expect(before - (await liquid())).toBe(usdc('0.25'));
  });

  it('gets a pending spend as a value and waits for it', async () => {
    const sent = await wallet.transfer({ recipient, amount: 1n }, { waitSeconds: 0 });
    expect(sent.status).toBe('pending');
    await expect(wallet.waitFor(sent)).resolves.toMatchObject({ status: 'confirmed', amount: 1n });
  });

  it('lists its spends, newest first, by their status', async () => {
    const [newest, older] = await Array.fromAsync(wallet.spends({ status: 'confirmed' }));
    expect([newest, older]).toMatchObject([{ amount: 1n }, { amount: usdc('0.25') }]);
    const from = new Date(newest?.created_at ?? '');
    await expect(Array.fromAsync(wallet.spends({ from }))).resolves.toEqual([newest]);
    await expect(Array.fromAsync(wallet.spends({ status: 'pending' }))).resolves.toEqual([]);
  });

  it('gets the refusal of the program as an error with its code', async () => {
    const { error, moved } = await failing(() =>
      wallet.transfer({ recipient, amount: usdc('1.5') }),
    );
    expect(error).toMatchObject({
      code: 'AmountExceedsMaxPerTx',
      status: 402,
      layer: 'on-chain',
      details: { spend_id: expect.any(String) },
    });
    expect(moved).toBe(0n);
  });

  it('deposits to the reserve and withdraws', async () => {
    const amount = usdc('2');
    const deposit = await wallet.deposit({ amount });
    await wallet.waitFor(deposit);
    await expect(wallet.position()).resolves.toMatchObject({ deployed: amount });
    await wallet.waitFor(await wallet.withdraw({ amount: usdc('1') }));
    await expect(wallet.position()).resolves.toMatchObject({ deployed: usdc('1') });
  });
});

describe('fetch pays', () => {
  it.each(['x402', 'x-payment-proof'] as const)('a service of the catalog by %s', async (proof) => {
    const { url, slug, price } = localService(proof);
    expect((await wallet.services()).map((service) => service.slug)).toContain(slug);
    const before = await liquid();
    const response = await wallet.fetch(`${url}/oslo?days=3`, { maxAmount: usdc('0.1') });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      [proof === 'x402' ? 'forecast' : 'sunrise']: expect.any(String),
    });
    expect(before - (await liquid())).toBe(BigInt(price));
    const spend = await wallet.waitFor(response.headers.get('x-spend-id') ?? '');
    expect(spend.tx_signature).toBe(response.headers.get('x-tx-signature'));
  });

  it('another service with a proof, and repeats the request with its body', async () => {
    const before = await liquid();
    const response = await wallet.fetch(`${SHOP}/proofs/answers`, {
      method: 'POST',
      body: 'a question',
      maxAmount: PRICE,
    });
    expect([response.status, await response.json()]).toEqual([200, { answer: 1 }]);
    expect(counter.sold).toEqual(['POST /proofs/answers']);
    expect(direct).toEqual(['POST /proofs/answers', 'POST /proofs/answers']);
    expect(before - (await liquid())).toBe(PRICE);
    const spend = await wallet.spend(response.headers.get('x-spend-id') ?? '');
    expect(spend).toMatchObject({ kind: 'sign_payment', status: 'confirmed', amount: PRICE });
  });

  it('the same service by the client of @x402/fetch, once', async () => {
    const before = await liquid();
    const response = await openX402Client()(`${SHOP}/proofs`);
    expect(response.status).toBe(200);
    expect(before - (await liquid())).toBe(PRICE);
  });

  it('a standard x402 service that the catalog does not have, once', async () => {
    await openStandardShop();
    const before = await liquid();
    const response = await wallet.fetch(`${SHOP}/standard/oslo`, { maxAmount: PRICE });
    expect([response.status, await response.json()]).toEqual([
      200,
      { answer: counter.sold.length },
    ]);
    expect(before - (await liquid())).toBe(PRICE);
    const spend = await wallet.waitFor(response.headers.get('x-spend-id') ?? '');
    expect(spend).toMatchObject({
      kind: 'sign_payment',
      amount: PRICE,
      recipient_or_url: `${SHOP}/standard/oslo`,
      tx_signature: response.headers.get('x-tx-signature'),
    });
    const second = await openX402Client()(`${SHOP}/standard/rome`);
    expect(second.status).toBe(200);
    expect(before - (await liquid())).toBe(2n * PRICE);
  });

  it('nothing for a response other than 402', async () => {
    street.open('free', (_request, response) => void response.end('free of charge'));
    const { error, moved } = await failing(async () => {
      const response = await wallet.fetch(`${SHOP}/free`, { maxAmount: PRICE });
      expect(await response.text()).toBe('free of charge');
    });
    expect({ error, moved }).toEqual({ error: null, moved: 0n });
  });
});

describe('fetch throws before money moves', () => {
  it('for a price above maxAmount, of the catalog and of another service', async () => {
    const { url } = localService('x402');
    const expected = { error: expect.objectContaining({ code: 'QUOTED_OVER_MAX' }), moved: 0n };
    const init = { maxAmount: PRICE - 1n };
    expect(await failing(() => wallet.fetch(url, init))).toEqual(expected);
    expect(await failing(() => wallet.fetch(`${SHOP}/proofs`, init))).toEqual(expected);
  });

  it('for a standard x402 service whose fee payer cannot pay', async () => {
    const offer = {
      scheme: 'exact',
      network: TEST_NETWORK,
      amount: PRICE.toString(),
      asset: system().usdcMint,
      payTo: payee,
      maxTimeoutSeconds: 60,
      extra: { feePayer: Keypair.generate().publicKey.toBase58() },
    };
    street.open('no-sol', (_request, response) =>
      response.writeHead(402).end(JSON.stringify({ x402Version: 2, accepts: [offer] })),
    );
    expect(await failing(() => wallet.fetch(`${SHOP}/no-sol`, { maxAmount: PRICE }))).toEqual({
      error: expect.objectContaining({ code: 'UNSUPPORTED_BY_SERVICE' }),
      moved: 0n,
    });
  });

  it("for a URL that is not in the owner's allowlist", async () => {
    const other = { url: 'https://other.example/', recipient: payee, amount: PRICE };
    expect(await failing(() => wallet.signPayment(other))).toEqual({
      error: expect.objectContaining({ code: 'URL_NOT_ALLOWED', status: 403 }),
      moved: 0n,
    });
  });

  it('without a maxAmount', async () => {
    await expect(wallet.fetch(`${SHOP}/proofs`)).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  });
});
