/** Payments of services while the api is killed: each is paid at most once, and delivered. */
import { describe, expect, test } from 'vitest';
import { type SpendRequest } from '../support/http/paying-agent.ts';
import { type Counter } from '../support/services/service-street.ts';
import { PRICE, useServicePayments } from '../support/services/service-payments.ts';

const {
  system,
  agent,
  openX402,
  openProof,
  spendIn,
  deliveryIn,
  earned,
  expireLease,
  expectLedgerMatchesChain,
} = await useServicePayments();

/** The api dies while it waits for the worker, which stands still. */
async function killWhileQueued(slug: string, key: string): Promise<string> {
  system().pause('tx-worker');
  const lost = agent()
    .spend({ slug, path: '/a', key })
    .catch(() => 'lost');
  const { spendId } = await spendIn(key, 'queued');
  await system().kill('api');
  expect(await lost).toBe('lost');
  return spendId;
}

/** One delivery by a later request, and the same answer for a retry. */
async function expectDeliveredOnce(request: SpendRequest, spendId: string, counter: Counter) {
  expect(await deliveryIn(spendId, 'delivered')).toMatchObject({ upstreamStatus: 200 });
  await spendIn(request.key ?? '', 'confirmed', 'finalized');
  expect(await agent().spend(request)).toMatchObject({ status: 200, text: '{"answer":1}' });
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
    const lost = agent()
      .spend({ slug, path: '/a', key })
      .catch(() => 'lost');
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
    const lost = agent()
      .spend({ slug, key })
      .catch(() => 'lost');
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

test('the vault holds to the unit what the confirmed rows leave', async () => {
  await expectLedgerMatchesChain();
});
