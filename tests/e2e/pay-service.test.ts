/**
 * `POST /v1/spend/service` against services that are not ours: the reference server and facilitator
 * of standard x402, one that looks payments up on the chain, and those that no money may go to.
 */
import { Keypair } from '@solana/web3.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TEST_NETWORK } from '@agent-wallet/local-system/paid-services/test-network.ts';
import {
  createProofCheck,
  createProofService,
} from '@agent-wallet/local-system/paid-services/proof-service.ts';
import { createX402Service } from '@agent-wallet/local-system/paid-services/x402-service.ts';
import { openFacilitator } from '../support/services/in-process-facilitator.ts';
import { badServices } from '../support/services/bad-services.ts';
import { createLaneFixture, type LaneFixture } from '../support/system/lane-fixture.ts';
import { createPayingAgent, type PayingAgent } from '../support/http/paying-agent.ts';
import { createCounter, openServiceStreet } from '../support/services/service-street.ts';
import { useSystem } from '../support/system/use-system.ts';
import { waitUntil } from '../support/wait-until.ts';

const PRICE = 25_000n;
const street = await openServiceStreet();
const system = useSystem({
  slotTimeMs: 50,
  env: { api: { LOOPBACK_SERVICES: street.origin } },
});
const feePayer = Keypair.generate();
let fixture: LaneFixture;
let payee: string;
let agent: PayingAgent;
/** The payment that no facilitator sends. */
let refusedSpendId = '';

beforeAll(async () => {
  fixture = await createLaneFixture(system());
  [payee] = await Promise.all([
    fixture.createRecipient(),
    system().faucet.sol(feePayer.publicKey, 1_000_000_000),
  ]);
  agent = await createPayingAgent(system(), fixture, [payee]);
});
afterAll(async () => {
  await street[Symbol.asyncDispose]();
  await fixture[Symbol.asyncDispose]();
});

const priced = () => ({ payTo: payee, asset: system().usdcMint, amount: PRICE });

/** Opens an honest service of standard x402 whose facilitator lists this program. */
async function openX402(name: string, programId: string) {
  const { usdcMint, urls } = system();
  const facilitator = await openFacilitator({ rpcUrl: urls.rpc, feePayer, programId, usdcMint });
  const counter = createCounter();
  const { sell } = counter;
  const baseUrl = street.open(name, await createX402Service({ ...priced(), facilitator, sell }));
  return { baseUrl, counter, proof: 'x402' as const };
}

function openProof(name: string) {
  const check = createProofCheck({ ...priced(), rpcUrl: system().urls.rpc });
  const counter = createCounter();
  const { sell } = counter;
  const baseUrl = street.open(name, createProofService({ ...priced(), check, sell }));
  return { baseUrl, counter, proof: 'x-payment-proof' as const };
}

/** What changed from now on: base units, and rows of the log. */
async function watch() {
  const payeeAccount = fixture.program.addresses.usdcAta(payee);
  const read = async () => ({
    vault: await agent.vault(),
    payee: await fixture.balance(payeeAccount),
    // The verdict on that one comes when it comes.
    rows: (await agent.log()).filter(({ spendId }) => spendId !== refusedSpendId),
  });
  const before = await read();
  return async () => {
    const after = await read();
    return {
      vault: after.vault - before.vault,
      payee: after.payee - before.payee,
      rows: after.rows.slice(before.rows.length),
    };
  };
}

const NOTHING = { vault: 0n, payee: 0n };

test('a facilitator that does not list our program refuses the payment, and nothing moves', async () => {
  const changes = await watch();
  const service = await openX402('unlisted', Keypair.generate().publicKey.toBase58());
  const slug = await agent.enlist({ ...service, payTo: payee });
  const answer = await agent.spend({ slug });
  expect(answer).toMatchObject({
    status: 502,
    body: { error: 'service did not deliver', code: 'UNSUPPORTED_BY_SERVICE' },
    signature: null,
  });
  refusedSpendId = String(answer.body?.['spend_id']);
  expect(service.counter.sold).toEqual([]);
  // The proof that it cannot land takes a while: the last test waits for it.
  expect(await changes()).toEqual({ ...NOTHING, rows: [] });
});

describe.each([
  ['standard x402', () => openX402('standard', system().programId)],
  ['X-Payment-Proof', () => Promise.resolve(openProof('proof'))],
])('a service of %s', (_kind, open) => {
  let service: Awaited<ReturnType<typeof open>>;
  let slug: string;
  beforeAll(async () => {
    service = await open();
    slug = await agent.enlist({ ...service, payTo: payee });
  });

  test('is paid once and delivers', async () => {
    const changes = await watch();
    const answer = await agent.spend({ slug, path: '/answers?about=all', body: { question: '?' } });
    expect(answer.text).toBe('{"answer":1}');
    expect(answer.status).toBe(200);
    expect(answer.signature).toMatch(/^\w{64,88}$/);
    expect(service.counter.sold).toEqual([
      expect.stringMatching(/^POST \/\w+\/answers\?about=all$/),
    ]);
    const { rows, ...money } = await changes();
    expect(money).toEqual({ vault: -PRICE, payee: PRICE });
    expect(rows).toMatchObject([
      {
        action: 'pay_service',
        decision: 'allow',
        amount: PRICE,
        recipient: payee,
        recipientOrUrl: `${service.baseUrl}/answers?about=all`,
        txSignature: answer.signature,
      },
    ]);
    const spend = await agent.read(`/v1/spend/${rows[0]?.spendId ?? ''}`);
    expect(spend.body).toMatchObject({
      kind: 'pay_service',
      status: 'confirmed',
      tx_signature: answer.signature,
      upstream: { status: 200, delivery: 'delivered' },
    });
  });

  test('gets GET without a body, and is paid for each request', async () => {
    const changes = await watch();
    const before = service.counter.sold.length;
    const answers = await Promise.all([1, 2, 3].map(() => agent.spend({ slug, path: '/get' })));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(new Set(answers.map(({ signature }) => signature)).size).toBe(3);
    expect(service.counter.sold.slice(before)).toEqual([
      expect.stringMatching(/^GET \/\w+\/get$/),
      expect.stringMatching(/^GET \/\w+\/get$/),
      expect.stringMatching(/^GET \/\w+\/get$/),
    ]);
    expect(await changes()).toMatchObject({ vault: -3n * PRICE, payee: 3n * PRICE });
  });

  test('is paid once for requests with one key, which all get its answer', async () => {
    const changes = await watch();
    const before = service.counter.sold.length;
    const request = { slug, path: '/once', body: { a: 1 }, key: `once-${service.proof}` };
    const answers = await Promise.all([agent.spend(request), agent.spend(request)]);
    answers.push(await agent.spend(request));
    expect(new Set(answers.map(({ text, signature }) => `${text} ${signature}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(200);
    expect(service.counter.sold.length - before).toBe(1);
    const { rows, ...money } = await changes();
    expect(money).toEqual({ vault: -PRICE, payee: PRICE });
    expect(rows).toHaveLength(1);
  });
});

describe('no money goes to a service', () => {
  const ANSWERS = {
    unusable: ['SERVICE_PROBE_FAILED', null],
    'another payee or token': ['CHALLENGE_MISMATCH', 'CHALLENGE_MISMATCH'],
    'another way to be paid': ['UNSUPPORTED_BY_SERVICE', 'UNSUPPORTED_BY_SERVICE'],
  } as const;
  const names = Object.keys(badServices({ ...anOffer(''), payTo: '', asset: '' }));

  test.each(names)('that is bad: %s', async (name) => {
    const honest = { ...anOffer(feePayer.publicKey.toBase58()), payTo: payee };
    const bad = badServices({ ...honest, asset: system().usdcMint })[name];
    if (bad === undefined) throw new Error(name);
    let requests = 0;
    const baseUrl = street.open(name, (request, response) => {
      requests += 1;
      bad.serve(request, response);
    });
    const slug = await agent.enlist({ baseUrl, proof: 'x402', payTo: payee });
    const changes = await watch();
    const answer = await agent.spend({ slug });
    const [code, reason] = ANSWERS[bad.is];
    expect(answer).toMatchObject({ status: 502, body: { error: 'service probe failed', code } });
    expect(requests).toBe(1);
    const { rows, ...money } = await changes();
    expect(money).toEqual(NOTHING);
    expect(rows).toMatchObject(reason === null ? [] : [{ decision: 'deny', reason }]);
  });
});

function anOffer(payer: string) {
  return {
    scheme: 'exact' as const,
    network: TEST_NETWORK,
    amount: PRICE.toString(),
    extra: { feePayer: payer },
  };
}

test('what a facilitator refused is proven never to land, and its money is free', async () => {
  const spend = await waitUntil(
    'the proof',
    async () => {
      const { body } = await agent.read(`/v1/spend/${refusedSpendId}`);
      return body?.['status'] === 'rejected' && body;
    },
    { timeoutMs: 60_000, intervalMs: 200 },
  );
  expect(spend).toMatchObject({ code: 'NOT_SETTLED', tx_signature: null });
  const rows = (await agent.log()).filter(({ spendId }) => spendId === refusedSpendId);
  expect(rows).toMatchObject([{ decision: 'deny', reason: 'NOT_SETTLED' }]);
});

test('after all of this the vault holds what the confirmed rows leave', async () => {
  const rows = await agent.log();
  const allowed = rows.filter(({ decision }) => decision === 'allow');
  const paid = allowed.reduce((sum, { amount }) => sum + (amount ?? 0n), 0n);
  expect(allowed).toHaveLength(10);
  expect(await agent.vault()).toBe(100_000_000n - paid);
  expect(await fixture.balance(fixture.program.addresses.usdcAta(payee))).toBe(paid);
});
