/**
 * Payments of services while something fails: facilitators lie or fall silent, services
 * break after they were paid, the chain's node drops calls. A call is paid at most once, and the
 * ledger matches the chain.
 */
import { afterAll, describe, expect, test } from 'vitest';
import { createFaultPlan, type FaultPlan } from '../support/rpc-proxy/plan.ts';
import { type FaultProxy, startFaultProxy } from '../support/rpc-proxy/fault-proxy.ts';
import { type ServiceAnswer, type SpendRequest } from '../support/http/paying-agent.ts';
import { waitUntil } from '../support/wait-until.ts';
import { PRICE, SETTLES, useServicePayments } from '../support/services/service-payments.ts';

const proxies: FaultProxy[] = [];
const plans: FaultPlan[] = [];
let isChainFaulty = false;
afterAll(async () => {
  for (const proxy of proxies) await proxy[Symbol.asyncDispose]();
});

/** The key of a payment that no facilitator sends. */
const REFUSED = 'refused';

const {
  street,
  system,
  agent,
  facilitator,
  payee,
  openX402,
  openProof,
  spendIn,
  deliveryIn,
  earned,
  payUnder,
  rowsOf,
  expectLedgerMatchesChain,
} = await useServicePayments({
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

test('a facilitator’s refusal is reported as such, and nothing moves', async () => {
  const { answer, before } = await payUnder('refuses', REFUSED);
  facilitator().fault = 'none';
  expect(answer).toMatchObject({ status: 502, body: { code: 'PAYMENT_REFUSED' } });
  expect(await earned()).toBe(before);
  // The proof that it cannot land takes a while: a later test waits for it.
});

describe('a facilitator that', () => {
  afterAll(() => {
    facilitator().fault = 'none';
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
    facilitator().fault = 'times out before sending';
    const answer = agent().spend({ slug, path: '/a', key: 'silent-before' });
    await waitUntil('the first try', () => counter.sold.length > 0);
    facilitator().fault = 'none';
    expect(await answer).toMatchObject({ status: 200 });
    await spendIn('silent-before', 'confirmed', 'finalized');
    expect((await earned()) - before).toBe(PRICE);
  });
});

describe('a service that was paid', () => {
  test('and dies before it answers gets the same proof until it answers', async () => {
    let isDead = true;
    const { slug, counter, proofs } = await openProof('dies', async () => {
      if (!isDead) return 'paid';
      isDead = false;
      throw new Error('the service died');
    });
    const before = await earned();
    const answer = await agent().spend({ slug, key: 'dies' });
    expect(answer).toMatchObject({ status: 200, text: '{"answer":1}' });
    expect(proofs.length).toBeGreaterThan(1);
    expect(new Set(proofs)).toEqual(new Set([answer.signature]));
    expect(counter.sold).toHaveLength(1);
    expect((await earned()) - before).toBe(PRICE);
  });

  test('and denies it leaves a record that holds all a claim needs', async () => {
    const { slug, counter } = await openProof('denies', () => Promise.resolve('not paid'));
    const before = await earned();
    const answer = await agent().spend({ slug, path: '/a?b=c', body: { d: 1 }, key: 'denies' });
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
      payTo: payee(),
      amount: PRICE.toString(),
      asset: system().usdcMint,
    });
    expect((await agent().read(`/v1/spend/${spend.spendId}`)).body).toMatchObject({
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
    const answer = agent().spend({ slug, path: '/a', key: 'cannot' });
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
      const answer = await agent().spend(request);
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
  await expectLedgerMatchesChain();
});
