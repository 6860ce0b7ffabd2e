/**
 * Payments of services while something fails: the api dies, facilitators lie or fall silent,
 * services break after they were paid, the chain's node drops calls. Whatever happens, a call is
 * paid at most once, and the ledger says what the chain says.
 */
import { findDelivery, findSpends, type Spend } from '@agent-wallet/spend';
import { Keypair } from '@solana/web3.js';
import { sql } from 'slonik';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createFacilitator } from '@agent-wallet/local-system/paid-services/facilitator.ts';
import {
  type CheckProof,
  createProofCheck,
  createProofService,
} from '@agent-wallet/local-system/paid-services/proof-service.ts';
import { createX402Service } from '@agent-wallet/local-system/paid-services/x402-service.ts';
import { createFaultPlan, type FaultPlan } from '../support/rpc-proxy/plan.ts';
import { type FaultProxy, startFaultProxy } from '../support/rpc-proxy/fault-proxy.ts';
import {
  createFaultyFacilitator,
  type FacilitatorFault,
  type FaultyFacilitator,
} from '../support/services/faulty-facilitator.ts';
import { createLaneFixture, type LaneFixture } from '../support/system/lane-fixture.ts';
import {
  createPayingAgent,
  type PayingAgent,
  type ServiceAnswer,
  type SpendRequest,
} from '../support/http/paying-agent.ts';
import {
  type Counter,
  createCounter,
  openServiceStreet,
} from '../support/services/service-street.ts';
import { useSystem } from '../support/system/use-system.ts';
import { waitUntil } from '../support/wait-until.ts';

const PRICE = 25_000n;
const FUNDS = 100_000_000n;
/** The key of a payment that no facilitator sends. */
const REFUSED = 'refused';
const SETTLES = { timeoutMs: 60_000, intervalMs: 100 };

const street = await openServiceStreet();
const proxies: FaultProxy[] = [];
const plans: FaultPlan[] = [];
let isChainFaulty = false;
const system = useSystem({
  // The life of a blockhash: long enough to start a process again, short enough to be proven over.
  slotTimeMs: 200,
  env: { api: { LOOPBACK_SERVICES: street.origin } },
  rpcUrlFor: async (name, chainRpcUrl) => {
    const plan = createFaultPlan({
      seed: name,
      profile: { lies: { drop_request: 0.1, drop_answer: 0.1, server_error: 0.05 } },
      isOn: () => isChainFaulty,
    });
    plans.push(plan);
    const proxy = await startFaultProxy(chainRpcUrl, (call) => plan.decide(call));
    proxies.push(proxy);
    return proxy.url;
  },
});
const feePayer = Keypair.generate();
let fixture: LaneFixture;
let payee: string;
let agent: PayingAgent;
let facilitator: FaultyFacilitator;

beforeAll(async () => {
  fixture = await createLaneFixture(system());
  [payee] = await Promise.all([
    fixture.createRecipient(),
    system().faucet.sol(feePayer.publicKey, 1_000_000_000),
  ]);
  agent = await createPayingAgent(system(), fixture, [payee]);
  const allowedPrograms = [system().programId];
  const rpcUrl = system().urls.rpc;
  facilitator = createFaultyFacilitator(
    await createFacilitator({ rpcUrl, feePayer, allowedPrograms }),
  );
});
afterAll(async () => {
  await facilitator.quiet();
  await street[Symbol.asyncDispose]();
  await fixture[Symbol.asyncDispose]();
  for (const proxy of proxies) await proxy[Symbol.asyncDispose]();
});

const priced = () => ({ payTo: payee, asset: system().usdcMint, amount: PRICE });

async function openX402(name: string) {
  const counter = createCounter();
  const { sell } = counter;
  const baseUrl = street.open(name, await createX402Service({ ...priced(), facilitator, sell }));
  return { counter, slug: await agent.enlist({ baseUrl, proof: 'x402', payTo: payee }) };
}

/** `before` sees a proof before the service looks at it. */
async function openProof(name: string, before: CheckProof = () => Promise.resolve('paid')) {
  const honest = createProofCheck({ ...priced(), rpcUrl: system().urls.rpc });
  const proofs: string[] = [];
  const check: CheckProof = async (signature) => {
    proofs.push(signature);
    const verdict = await before(signature);
    return verdict === 'paid' ? honest(signature) : verdict;
  };
  const counter = createCounter();
  const { sell } = counter;
  const baseUrl = street.open(name, createProofService({ ...priced(), check, sell }));
  const slug = await agent.enlist({ baseUrl, proof: 'x-payment-proof', payTo: payee });
  return { counter, proofs, slug };
}

/** The one spend that was accepted under this key. */
async function spendOf(key: string): Promise<Spend | null> {
  const found = await fixture.db.maybeOneFirst(sql.type(z.object({ spend_id: z.string() }))`
    select spend_id from spend
    where session_id = ${agent.sessionId}::uuid and idempotency_key = ${key}
  `);
  return found === null ? null : ((await findSpends(fixture.db, [found]))[0] ?? null);
}

const spendIn = (key: string, ...statuses: readonly Spend['status'][]): Promise<Spend> =>
  waitUntil(
    `a spend that is ${statuses.join(' or ')}`,
    async () => {
      const spend = await spendOf(key);
      return spend !== null && statuses.includes(spend.status) && spend;
    },
    SETTLES,
  );

const deliveryIn = (spendId: string, state: string) =>
  waitUntil(
    `a delivery that is ${state}`,
    async () => {
      const delivery = await findDelivery(fixture.db, spendId);
      return delivery?.state === state && delivery;
    },
    SETTLES,
  );

/** Base units that the payee got since `before`. */
const earned = (): Promise<bigint> => fixture.balance(fixture.program.addresses.usdcAta(payee));

test('a facilitator’s refusal is reported as such, and nothing moves', async () => {
  const { answer, before } = await payUnder('refuses', REFUSED);
  facilitator.fault = 'none';
  expect(answer).toMatchObject({ status: 502, body: { code: 'PAYMENT_REFUSED' } });
  expect(await earned()).toBe(before);
  // The proof that it cannot land takes a while: a later test waits for it.
});

/** The api dies while it waits for the worker, which stands still. */
async function killWhileQueued(slug: string, key: string): Promise<string> {
  system().pause('tx-worker');
  const lost = agent.spend({ slug, path: '/a', key }).catch(() => 'lost');
  const { spendId } = await spendIn(key, 'queued');
  await system().kill('api');
  expect(await lost).toBe('lost');
  return spendId;
}

/** One delivery by a later request, and the same answer for a retry. */
async function expectDeliveredOnce(request: SpendRequest, spendId: string, counter: Counter) {
  expect(await deliveryIn(spendId, 'delivered')).toMatchObject({ upstreamStatus: 200 });
  await spendIn(request.key ?? '', 'confirmed', 'finalized');
  expect(await agent.spend(request)).toMatchObject({ status: 200, text: '{"answer":1}' });
  expect(counter.sold).toHaveLength(1);
}

describe('an api that is killed', () => {
  test('between the payment and the delivery pays once and delivers later', async () => {
    const { slug, counter } = await openProof('killed-proof');
    const before = await earned();
    const key = 'killed-proof';
    const spendId = await killWhileQueued(slug, key);
    system().resume('tx-worker');
    await spendIn(key, 'confirmed', 'finalized');
    expect((await earned()) - before).toBe(PRICE);
    expect(counter.sold).toEqual([]);
    await system().restart('api');
    await expectDeliveredOnce({ slug, path: '/a', key }, spendId, counter);
    expect((await earned()) - before).toBe(PRICE);
  });

  test('before the header of standard x402 was made hands it out once and delivers', async () => {
    const { slug, counter } = await openX402('killed-x402');
    const before = await earned();
    const key = 'killed-x402';
    const spendId = await killWhileQueued(slug, key);
    // What is signed lives for 150 slots only, and a process may take long to start.
    await system().restart('api');
    system().resume('tx-worker');
    await expectDeliveredOnce({ slug, path: '/a', key }, spendId, counter);
    expect((await earned()) - before).toBe(PRICE);
  });

  test('after the header of standard x402 left pays once, or never if time ran out', async () => {
    const arrived = Promise.withResolvers<void>();
    const { slug, counter } = await openX402('killed-within-x402');
    counter.before = () => {
      counter.before = undefined;
      arrived.resolve();
      return new Promise(() => undefined);
    };
    const before = await earned();
    const key = 'killed-within-x402';
    const lost = agent.spend({ slug, path: '/a', key }).catch(() => 'lost');
    await arrived.promise;
    await system().kill('api');
    expect(await lost).toBe('lost');
    await system().restart('api');
    const { spendId } = await spendIn(key, 'in_flight', 'rejected');
    await expireLease(spendId);
    const { status } = await spendIn(key, 'confirmed', 'finalized', 'rejected');
    expect((await earned()) - before).toBe(status === 'rejected' ? 0n : PRICE);
  });

  test('while a service works on a paid request shows the same proof again', async () => {
    const arrived = Promise.withResolvers<void>();
    const isFirst = { yes: true };
    const { slug, counter, proofs } = await openProof('killed-within', async () => {
      if (!isFirst.yes) return 'paid';
      isFirst.yes = false;
      arrived.resolve();
      return new Promise(() => undefined);
    });
    const before = await earned();
    const key = 'killed-within';
    const lost = agent.spend({ slug, key }).catch(() => 'lost');
    await arrived.promise;
    await system().kill('api');
    expect(await lost).toBe('lost');
    await system().restart('api');
    const { spendId } = await spendIn(key, 'confirmed', 'finalized');
    await expireLease(spendId);
    await deliveryIn(spendId, 'delivered');
    expect(proofs).toHaveLength(2);
    expect(new Set(proofs).size).toBe(1);
    expect(counter.sold).toHaveLength(1);
    expect((await earned()) - before).toBe(PRICE);
  });
});

/** As if the time of who died with it were over. */
async function expireLease(spendId: string): Promise<void> {
  await fixture.db.query(sql.unsafe`
    update delivery set lease_until = '-infinity', try_at = now() where spend_id = ${spendId}::uuid
  `);
}

/** Calls a new service once while the facilitator behaves as given. */
async function payUnder(fault: FacilitatorFault, key: string) {
  const { slug, counter } = await openX402(key);
  const before = await earned();
  facilitator.fault = fault;
  const answer = await agent.spend({ slug, path: '/a', key });
  await facilitator.quiet();
  return { slug, counter, answer, before };
}

describe('a facilitator that', () => {
  afterAll(() => {
    facilitator.fault = 'none';
  });

  test('submits after refusing does not do so unseen', async () => {
    const { answer, before, counter } = await payUnder('submits after refusing', 'after-refusing');
    expect(answer).toMatchObject({ status: 502, body: { error: 'service did not deliver' } });
    const spend = await spendIn('after-refusing', 'confirmed', 'finalized');
    expect(spend.txSignature).toMatch(/^\w{64,88}$/);
    await deliveryIn(spend.spendId, 'paid_not_delivered');
    expect(counter.sold).toEqual([]);
    expect((await earned()) - before).toBe(PRICE);
    expect(await rowsOf(spend)).toMatchObject([
      { decision: 'allow', txSignature: spend.txSignature },
    ]);
  });

  test('falls silent after sending is resolved by the chain', async () => {
    const { answer, before } = await payUnder('times out after sending', 'silent-after');
    const spend = await spendIn('silent-after', 'confirmed', 'finalized');
    // The service's own words, with the signature that it never told.
    expect(answer).toMatchObject({ status: 502, signature: spend.txSignature });
    expect(await deliveryIn(spend.spendId, 'paid_not_delivered')).toMatchObject({ tryAt: null });
    expect((await earned()) - before).toBe(PRICE);
    expect(await rowsOf(spend)).toMatchObject([
      { decision: 'allow', txSignature: spend.txSignature },
    ]);
  });

  test('reports an open outcome gets no second request, and the chain decides', async () => {
    const { before } = await payUnder('says pending', 'pending');
    const spend = await spendIn('pending', 'confirmed', 'finalized');
    await deliveryIn(spend.spendId, 'paid_not_delivered');
    expect((await earned()) - before).toBe(PRICE);
  });

  test('falls silent before sending gets the same header again, and is paid once', async () => {
    const { slug, counter } = await openX402('silent-before');
    const before = await earned();
    facilitator.fault = 'times out before sending';
    const answer = agent.spend({ slug, path: '/a', key: 'silent-before' });
    await waitUntil('the first try', () => counter.sold.length > 0);
    facilitator.fault = 'none';
    expect(await answer).toMatchObject({ status: 200 });
    await spendIn('silent-before', 'confirmed', 'finalized');
    expect((await earned()) - before).toBe(PRICE);
  });
});

async function rowsOf({ spendId }: Spend) {
  return (await agent.log()).filter((row) => row.spendId === spendId);
}

describe('a service that was paid', () => {
  test('and dies before it answers gets the same proof until it answers', async () => {
    let isDead = true;
    const { slug, counter, proofs } = await openProof('dies', async () => {
      if (!isDead) return 'paid';
      isDead = false;
      throw new Error('the service died');
    });
    const before = await earned();
    const answer = await agent.spend({ slug, key: 'dies' });
    expect(answer).toMatchObject({ status: 200, text: '{"answer":1}' });
    expect(proofs.length).toBeGreaterThan(1);
    expect(new Set(proofs)).toEqual(new Set([answer.signature]));
    expect(counter.sold).toHaveLength(1);
    expect((await earned()) - before).toBe(PRICE);
  });

  test('and denies it leaves a record that holds all a claim needs', async () => {
    const { slug, counter } = await openProof('denies', () => Promise.resolve('not paid'));
    const before = await earned();
    const answer = await agent.spend({ slug, path: '/a?b=c', body: { d: 1 }, key: 'denies' });
    expect(answer.status).toBe(402);
    expect(counter.sold).toEqual([]);
    const spend = await spendIn('denies', 'confirmed', 'finalized');
    expect(answer.signature).toBe(spend.txSignature);
    expect((await earned()) - before).toBe(PRICE);
    const delivery = await deliveryIn(spend.spendId, 'paid_not_delivered');
    expect(delivery).toMatchObject({
      slug,
      proof: 'x-payment-proof',
      method: 'POST',
      url: `${street.origin}/denies/a?b=c`,
      body: Buffer.from('{"d":1}'),
      upstreamStatus: 402,
    });
    expect(JSON.parse(delivery.requirement)).toMatchObject({
      payTo: payee,
      amount: PRICE.toString(),
      asset: system().usdcMint,
    });
    expect((await agent.read(`/v1/spend/${spend.spendId}`)).body).toMatchObject({
      status: 'confirmed',
      tx_signature: spend.txSignature,
      amount: Number(PRICE),
      recipient_or_url: `${street.origin}/denies/a?b=c`,
      upstream: { status: 402, delivery: 'paid_not_delivered' },
    });
  });

  test('and cannot make what it sold is not paid by standard x402', async () => {
    const { slug, counter } = await openX402('cannot');
    const before = await earned();
    counter.status = 500;
    const answer = agent.spend({ slug, path: '/a', key: 'cannot' });
    await waitUntil('the first try', () => counter.sold.length > 0);
    expect(await earned()).toBe(before);
    counter.status = 200;
    expect(await answer).toMatchObject({ status: 200 });
    expect((await earned()) - before).toBe(PRICE);
  });
});

test('a chain whose node drops calls and answers: both kinds are paid once each', async () => {
  const [standard, proof] = await Promise.all([openX402('faulty-a'), openProof('faulty-b')]);
  const before = await earned();
  isChainFaulty = true;
  const keys = Array.from({ length: 6 }, (_, index) => `faulty-${index}`);
  const answers = await Promise.all(
    keys.map((key, index) => {
      const { slug } = index % 2 === 0 ? standard : proof;
      return requestUntilTaken({ slug, path: '/a', key });
    }),
  );
  isChainFaulty = false;
  expect(plans.some((plan) => plan.faults() > 0)).toBe(true);
  expect(answers.every(({ status }) => status !== 503)).toBe(true);
  const paid = await Promise.all(keys.map(paidUnder));
  const sum = paid.reduce((total, amount) => total + amount, 0n);
  expect((await earned()) - before).toBe(sum);
  expect(sum).toBeGreaterThan(0n);
});

/** A 503 says that nothing was accepted: the same request may be retried. */
async function requestUntilTaken(request: SpendRequest): Promise<ServiceAnswer> {
  return waitUntil(
    'an answer that is not 503',
    async () => {
      const answer = await agent.spend(request);
      return answer.status !== 503 && answer;
    },
    SETTLES,
  );
}

/** What the settled spend of this key moved. */
async function paidUnder(key: string): Promise<bigint> {
  const { status } = await spendIn(key, 'confirmed', 'finalized', 'rejected');
  return status === 'rejected' ? 0n : PRICE;
}

test('the money of a payment that was refused is free when that is proven', async () => {
  const spend = await spendIn(REFUSED, 'rejected');
  expect(spend).toMatchObject({ code: 'NOT_SETTLED', txSignature: null });
  expect(await rowsOf(spend)).toMatchObject([{ decision: 'deny', reason: 'NOT_SETTLED' }]);
});

test('the vault holds to the unit what the confirmed rows leave', async () => {
  await waitUntil(
    'every spend is settled',
    async () => {
      const open = await fixture.db.oneFirst(sql.type(z.object({ open: z.bigint() }))`
        select count(*) as open from spend
        where wallet_id = ${agent.walletId}::uuid and status in ('queued', 'in_flight', 'reverted')
      `);
      return open === 0n;
    },
    SETTLES,
  );
  const rows = await agent.log();
  const allowed = rows.filter(({ decision }) => decision === 'allow');
  const paid = allowed.reduce((sum, { amount }) => sum + (amount ?? 0n), 0n);
  expect(await agent.vault()).toBe(FUNDS - paid);
  expect(await earned()).toBe(paid);
  expect(new Set(allowed.map(({ spendId }) => spendId)).size).toBe(allowed.length);
  expect(new Set(allowed.map(({ txSignature }) => txSignature)).size).toBe(allowed.length);
});
