import { leaseDeliveries, recordTry } from '@agent-wallet/spend';
import { sql } from 'slonik';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createLatch } from '../../../../tests/support/latch.ts';
import { waitUntil } from '../../../../tests/support/wait-until.ts';
import type { EgressAnswer } from '@agent-wallet/egress';
import {
  answered,
  call,
  offerOf,
  openService,
  readSpend,
  serve,
} from '../fixtures/service-world.ts';
import { countSpends, settleOnNudge, settleQueued } from '../fixtures/spends-of-wallet.ts';
import { expectRefused, expectReply, useTestApp } from '../fixtures/test-app.ts';

const t = await useTestApp();
afterEach(async () => {
  await t.deliverer.drain();
  // A try that is still to come would reach the service of the next test.
  await t.db.query(sql.unsafe`update delivery set try_at = null where try_at is not null`);
});

const noAnswer: EgressAnswer = { kind: 'failed', reason: 'timeout', detail: 'late' };

const deliveryFacts = z.object({
  state: z.string(),
  tries: z.number(),
  willTryAgain: z.boolean(),
  log: z.array(z.object({ at: z.string(), outcome: z.string() })),
  requirement: z.string(),
});
const readDelivery = (spendId: string) =>
  t.db.one(sql.type(deliveryFacts)`
    select state, tries, try_at is not null as "willTryAgain", log, requirement
    from delivery where spend_id = ${spendId}::uuid
  `);
/** As if the pause before the next try, and any lease, were over. */
const letTimePass = (spendId: string) =>
  t.db.query(sql.unsafe`
    update delivery set try_at = now() - interval '1 second', lease_until = '-infinity'
    where spend_id = ${spendId}::uuid and try_at is not null
  `);

describe('the delivery of what was paid by X-Payment-Proof', () => {
  it('is retried with the same proof when the service does not answer, and never paid again', async () => {
    const w = await openService(t);
    settleOnNudge(t);
    const seen = serve(t, offerOf(w), noAnswer, noAnswer, noAnswer, answered(200, { rain: 1 }));
    const headers = { 'idempotency-key': 'forecast-1' };
    const answer = await call(w, {}, headers);
    expect(answer.statusCode).toBe(502);
    const { spend_id: spendId, tx_signature: signature } = answer.json();
    expect(answer.json()).toMatchObject({
      error: 'service did not deliver',
      code: 'SERVICE_DID_NOT_DELIVER',
      layer: 'off-chain',
      tx_signature: expect.stringMatching(/^sig/),
    });
    expect(answer.headers['x-tx-signature']).toBe(signature);
    // The request itself waited for three tries: one probe, three proofs.
    expect(seen).toHaveLength(4);
    expect(await readDelivery(spendId)).toMatchObject({
      state: 'paid_not_delivered',
      tries: 3,
      willTryAgain: true,
      log: [{ outcome: 'timeout' }, { outcome: 'timeout' }, { outcome: 'timeout' }],
    });
    expect(await readSpend(w, spendId)).toMatchObject({
      status: 'confirmed',
      upstream: { status: null, body: null, delivery: 'paid_not_delivered' },
    });

    await letTimePass(spendId);
    await t.deliverer.sweep();
    await t.deliverer.drain();
    expect(await readDelivery(spendId)).toMatchObject({ state: 'delivered', willTryAgain: false });
    expect(new Set(seen.slice(1).map((request) => request.headers['x-payment-proof']))).toEqual(
      new Set([signature]),
    );
    const again = await call(w, {}, headers);
    expect([again.statusCode, again.json(), again.headers['x-tx-signature']]).toEqual([
      200,
      { rain: 1 },
      signature,
    ]);
    expect(seen).toHaveLength(5);
    expect(await countSpends(t, w.sessionId)).toBe(1);
  });

  it('returns a 402 after the payment with the signature, and keeps trying', async () => {
    const w = await openService(t);
    settleOnNudge(t);
    serve(t, offerOf(w), answered(402, { paid: 'not seen' }), answered(200, { paid: 'seen' }));
    const answer = await call(w, {}, { prefer: 'wait=1', 'idempotency-key': 'k' });
    expect([answer.statusCode, answer.json()]).toEqual([402, { paid: 'not seen' }]);
    expect(answer.headers['x-tx-signature']).toMatch(/^sig/);
    const spendId = String(answer.headers['x-spend-id']);
    expect(await readDelivery(spendId)).toMatchObject({
      state: 'paid_not_delivered',
      willTryAgain: true,
    });
    await letTimePass(spendId);
    const later = await call(w, {}, { 'idempotency-key': 'k' });
    expect([later.statusCode, later.json()]).toEqual([200, { paid: 'seen' }]);
  });

  it('waits for a service that sees the payment late', async () => {
    const w = await openService(t);
    settleOnNudge(t);
    serve(t, offerOf(w), answered(402, {}), answered(200, { rain: 1 }));
    const answer = await call(w);
    expect([answer.statusCode, answer.json()]).toEqual([200, { rain: 1 }]);
  });

  it('treats an error as the final answer of the service, but not an outage', async () => {
    const w = await openService(t);
    settleOnNudge(t);
    serve(t, offerOf(w), answered(404, { no: 'such city' }));
    const wrong = await call(w);
    expect(wrong.statusCode).toBe(404);
    const { state } = await readDelivery(String(wrong.headers['x-spend-id']));
    expect(state).toBe('delivered');
    serve(t, offerOf(w), answered(503, 'down'));
    const down = await call(w, {}, { prefer: 'wait=1' });
    expect([down.statusCode, down.body]).toEqual([503, 'down']);
    expect(await readDelivery(String(down.headers['x-spend-id']))).toMatchObject({
      state: 'paid_not_delivered',
      willTryAgain: true,
    });
  });

  it('continues without the caller: 202 at once, delivered by the sweep', async () => {
    const w = await openService(t);
    const seen = serve(t, offerOf(w), answered(200, { rain: 1 }));
    const headers = { prefer: 'respond-async', 'idempotency-key': 'k' };
    const answer = await call(w, {}, headers);
    expect(answer.statusCode).toBe(202);
    const { spend_id: spendId } = answer.json<{ spend_id: string }>();
    expect(answer.headers.location).toBe(`/v1/spend/${spendId}`);
    expect(answer.json()).toEqual({ spend_id: spendId, status: 'pending', tx_signature: null });
    await t.deliverer.sweep();
    await t.deliverer.drain();
    // Nothing is shown before the payment is confirmed.
    expect(seen).toHaveLength(1);
    await settleQueued(t, w.walletId);
    await t.deliverer.sweep();
    await t.deliverer.drain();
    expect(await readSpend(w, spendId)).toMatchObject({
      status: 'confirmed',
      upstream: { status: 200, body: '{"rain":1}', delivery: 'delivered' },
    });
    const replay = await call(w, {}, headers);
    expect([replay.statusCode, replay.json()]).toEqual([200, { rain: 1 }]);
    expect(seen).toHaveLength(2);
  });

  it('returns 202 when the service is slower than the caller waits, and keeps its answer', async () => {
    const w = await openService(t);
    settleOnNudge(t);
    const late = createLatch<EgressAnswer>('the answer of the service');
    const probe = serve(t, offerOf(w));
    const first = t.egress;
    t.egress = (request) => (probe.length === 0 ? first(request) : late.wait());
    const headers = { prefer: 'wait=1', 'idempotency-key': 'k' };
    expectReply(await call(w, {}, headers), 202, { tx_signature: expect.stringMatching(/^sig/) });
    const again = call(w, {}, { 'idempotency-key': 'k' });
    late.open(answered(200, { rain: 1 }));
    expect((await again).json()).toEqual({ rain: 1 });
  });

  it('is taken over from an api that died, under one lease', async () => {
    const w = await openService(t);
    serve(t, offerOf(w), answered(200, { rain: 1 }));
    const requested = await call(w, {}, { prefer: 'wait=0' });
    const { spend_id: spendId } = requested.json<{ spend_id: string }>();
    await settleQueued(t, w.walletId);
    const lease = { leaseMs: 60_000, limit: 10, spendId };
    const leases = await Promise.all(Array.from({ length: 5 }, () => leaseDeliveries(t.db, lease)));
    expect(leases.flat()).toHaveLength(1);
    const [dead] = leases.flat();
    await t.deliverer.sweep();
    await t.deliverer.drain();
    expect(await readDelivery(spendId)).toMatchObject({ state: 'delivering', tries: 1 });
    await letTimePass(spendId);
    await t.deliverer.sweep();
    await t.deliverer.drain();
    expect(await readDelivery(spendId)).toMatchObject({ state: 'delivered', tries: 2 });
    if (dead === undefined) throw new Error('expected a lease');
    const late = {
      state: 'paid_not_delivered',
      outcome: 'timeout',
      upstream: null,
      refusedWhy: null,
      tryAgainInMs: 1,
    } as const;
    expect(await recordTry(t.db, dead, late)).toBe(false);
    expect(await readSpend(w, spendId)).toMatchObject({ upstream: { status: 200 } });
  });

  it('ends 15 minutes after its first try', async () => {
    const w = await openService(t);
    settleOnNudge(t);
    const seen = serve(t, offerOf(w), noAnswer);
    const answer = await call(w, {}, { prefer: 'wait=1', 'idempotency-key': 'k' });
    const { spend_id: spendId } = answer.json();
    await t.db.query(sql.unsafe`
      update delivery set first_try_at = now() - interval '15 minutes'
      where spend_id = ${spendId}::uuid
    `);
    await letTimePass(spendId);
    await t.deliverer.sweep();
    await t.deliverer.drain();
    expect(await readDelivery(spendId)).toMatchObject({ tries: 2, willTryAgain: false });
    const requested = seen.length;
    await t.deliverer.sweep();
    await t.deliverer.drain();
    expect(seen).toHaveLength(requested);
    const last = await call(w, {}, { 'idempotency-key': 'k' });
    expect(last.statusCode).toBe(502);
    expect(last.json().remedy).toMatch(/refund/);
  });

  it('stores the request, the offer and the answer for a claim', async () => {
    const w = await openService(t);
    settleOnNudge(t);
    const offer = offerOf(w, { amount: '10000', description: 'one forecast' });
    serve(t, offer, noAnswer);
    const requested = { path: '/a', body: { days: 3 } };
    const answer = await call(w, requested, { prefer: 'wait=1' });
    const { spend_id: spendId } = answer.json();
    const row = await t.db.one(sql.unsafe`
      select slug, proof, method, url, body, requirement from delivery
      where spend_id = ${spendId}::uuid
    `);
    expect(row).toEqual({
      slug: w.slug,
      proof: 'x-payment-proof',
      method: 'POST',
      url: `${w.url}/a`,
      body: Buffer.from('{"days":3}'),
      requirement: JSON.stringify(offer),
    });
  });

  it('makes one payment and one delivery for equal requests under one key, also concurrently', async () => {
    const w = await openService(t);
    settleOnNudge(t);
    const seen = serve(t, offerOf(w), answered(200, { rain: 1 }));
    const headers = { 'idempotency-key': 'k' };
    const answers = await Promise.all(Array.from({ length: 4 }, () => call(w, {}, headers)));
    expect(new Set(answers.map(({ statusCode, body }) => `${statusCode} ${body}`))).toEqual(
      new Set(['200 {"rain":1}']),
    );
    expect(seen.filter((request) => 'x-payment-proof' in request.headers)).toHaveLength(1);
    expect(await countSpends(t, w.sessionId)).toBe(1);
    for (const change of [{ path: '/b' }, { body: { a: 1 } }, { max_amount: 20_001 }]) {
      expectRefused(await call(w, change, headers), 409, 'idempotency key reused');
    }
  });

  it('withdraws a payment that no lane claimed, and a retry is safe', async () => {
    const w = await openService(t);
    const seen = serve(t, offerOf(w), answered(200, { rain: 1 }));
    const headers = { prefer: 'wait=1', 'idempotency-key': 'k' };
    const answer = await call(w, {}, headers);
    expect([answer.statusCode, answer.json().code]).toEqual([503, 'EXPIRED_UNSENT']);
    expect(seen).toHaveLength(1);
    settleOnNudge(t);
    expect((await call(w, {}, headers)).statusCode).toBe(200);
  });

  it('counts the outcomes of probes and tries', async () => {
    const body = await t.metrics.registry.metrics();
    expect(body).toMatch(/agent_wallet_probes_total\{outcome="quoted"\} [1-9]/);
    expect(body).toMatch(/agent_wallet_delivery_tries_total\{outcome="delivered"\} [1-9]/);
    expect(body).toMatch(/agent_wallet_open_deliveries\{state="waiting"\}/);
  });
});

it('a caller that hangs up changes nothing', async () => {
  const w = await openService(t);
  const seen = serve(t, offerOf(w), answered(200, { rain: 1 }));
  const claimed = createLatch<string>('the acceptance');
  t.onNudge = async (walletId) => claimed.open(walletId);
  await t.app.listen({ port: 0, host: '127.0.0.1' });
  const hangUp = new AbortController();
  const requested = fetch(new URL('/v1/spend/service', t.app.listeningOrigin), {
    method: 'POST',
    headers: { authorization: `Bearer ${w.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ slug: w.slug, max_amount: 20_000 }),
    signal: hangUp.signal,
  });
  await claimed.wait();
  hangUp.abort();
  await expect(requested).rejects.toThrow(/abort/i);
  await settleQueued(t, w.walletId);
  await waitUntil('the delivery without its caller', async () =>
    seen.some((request) => 'x-payment-proof' in request.headers),
  );
});
