import { sql } from 'slonik';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { waitUntil } from '../../../../tests/support/wait-until.ts';
import type { EgressAnswer } from '@agent-wallet/egress';
import {
  answered,
  call,
  offerOf,
  openService,
  readSpend,
  serve,
  type ServiceWorld,
} from '../fixtures/service-world.ts';
import { newAddress } from '../fixtures/signed-in-owner.ts';
import { handedOutRows, SIGNATURE, WIRE } from '../fixtures/handed-out-rows.ts';
import { auditOf } from '../fixtures/spends-of-wallet.ts';
import { expectRefused, useTestApp } from '../fixtures/test-app.ts';

const t = await useTestApp();
const { storeAttempts, settle } = handedOutRows(t);
afterEach(async () => {
  await t.deliverer.drain();
});

const noAnswer: EgressAnswer = { kind: 'failed', reason: 'timeout', detail: 'late' };
const inHeader = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64');
const settledBy = (success: boolean, more: object = {}): Record<string, string> => ({
  'payment-response': inHeader({ success, transaction: SIGNATURE, ...more }),
});

const factsRow = z.object({
  status: z.string(),
  broadcaster: z.string(),
  feePayer: z.string().nullable(),
  memo: z.string().nullable(),
  hint: z.string().nullable(),
  isReleased: z.boolean(),
});
const factsOf = ({ sessionId }: ServiceWorld) =>
  t.db.one(sql.type(factsRow)`
    select status, broadcaster, facilitator_fee_payer as "feePayer", facilitator_memo as memo,
      signature_hint as hint, released_at is not null as "isReleased"
    from spend where session_id = ${sessionId}::uuid
  `);
const letTimePass = (w: ServiceWorld) =>
  t.db.query(sql.unsafe`
    update delivery set try_at = now() - interval '1 second', lease_until = '-infinity'
    where session_id = ${w.sessionId}::uuid and try_at is not null
  `);
const sweep = async (): Promise<void> => {
  await t.deliverer.sweep();
  await t.deliverer.drain();
};

async function openStandard() {
  const w = await openService(t, { proof: 'x402' });
  const feePayer = newAddress();
  const offer = offerOf(w, { extra: { feePayer, memo: 'order 7' } });
  t.onNudge = storeAttempts;
  return { w, offer, feePayer };
}

describe('a payment that an x402 facilitator sends', () => {
  it('leaves after its release, and its answer is returned once the chain has decided', async () => {
    const { w, offer, feePayer } = await openStandard();
    const seen = serve(t, offer, answered(200, { rain: 1 }, settledBy(true)));
    const egress = t.egress;
    const released: boolean[] = [];
    let settled: Promise<unknown> = Promise.resolve();
    t.egress = async (request) => {
      const answer = await egress(request);
      if ('payment-signature' in request.headers) {
        released.push((await factsOf(w)).isReleased);
        settled = waitUntil('the hint', async () => (await factsOf(w)).hint).then(() =>
          settle(w.sessionId, 'confirmed'),
        );
      }
      return answer;
    };
    const answer = await call(w);
    await settled;
    expect([answer.statusCode, answer.json()]).toEqual([200, { rain: 1 }]);
    expect(answer.headers['x-tx-signature']).toBe(SIGNATURE);
    expect(released).toEqual([true]);
    expect(await factsOf(w)).toEqual({
      status: 'confirmed',
      broadcaster: 'facilitator',
      feePayer,
      memo: 'order 7',
      hint: SIGNATURE,
      isReleased: true,
    });
    expect(seen).toHaveLength(2);
    const header = String(seen[1]?.headers['payment-signature']);
    expect(seen[1]?.headers).not.toHaveProperty('x-payment-proof');
    expect(JSON.parse(Buffer.from(header, 'base64').toString())).toEqual({
      x402Version: 2,
      accepted: offer,
      payload: { transaction: WIRE.toString('base64') },
    });
  });

  it('returns 202 until the chain has decided, whatever the service answers', async () => {
    const { w, offer } = await openStandard();
    const seen = serve(t, offer, answered(200, { rain: 1 }, settledBy(true)));
    const headers = { prefer: 'wait=1', 'idempotency-key': 'k' };
    const answer = await call(w, {}, headers);
    expect(answer.statusCode).toBe(202);
    const spendId = answer.json().spend_id;
    expect(await readSpend(w, spendId)).toMatchObject({
      status: 'pending',
      tx_signature: null,
      upstream: { status: 200, body: '{"rain":1}', delivery: 'delivered' },
    });
    await settle(w.sessionId, 'confirmed');
    const later = await call(w, {}, headers);
    expect([later.statusCode, later.json()]).toEqual([200, { rain: 1 }]);
    expect(seen).toHaveLength(2);
  });

  it.each([
    [
      'invalid_exact_svm_smart_wallet_program_not_allowed: Prog111',
      'UNSUPPORTED_BY_SERVICE',
      /program_not_allowed/,
    ],
    ['insufficient_funds\n<b>', 'PAYMENT_REFUSED', /^insufficient_funds\?<b>$/],
  ])(
    'that the service refuses (%j) is reported at once and not sent again',
    async (error, code, why) => {
      const { w, offer } = await openStandard();
      const refusal = { 'payment-required': inHeader({ x402Version: 2, error, accepts: [offer] }) };
      const seen = serve(t, offer, answered(402, {}, refusal));
      const answer = await call(w, {}, { 'idempotency-key': 'k' });
      expectRefused(answer, 502, 'service did not deliver', {
        code,
        detail: expect.stringMatching(why),
        retryable: false,
        spend_id: expect.any(String),
      });
      expect(answer.json()).not.toHaveProperty('tx_signature');
      // The service holds a transaction that could still be sent: the money stays reserved.
      expect(await factsOf(w)).toMatchObject({ status: 'in_flight', isReleased: true });
      await letTimePass(w);
      await sweep();
      expect(seen).toHaveLength(2);
      await settle(w.sessionId, 'rejected');
      const later = await call(w, {}, { 'idempotency-key': 'k' });
      expect([later.statusCode, later.json().code]).toEqual([502, 'NOT_SETTLED']);
      expect(later.json().error).toBe('service did not deliver');
    },
  );

  it('that no facilitator can send is refused by the lane like an unpayable offer', async () => {
    const { w, offer } = await openStandard();
    const detail = 'the fee payer of the facilitator cannot pay: "AccountNotFound"';
    t.onNudge = async (walletId) => {
      await t.db.query(sql.unsafe`
        update spend set status = 'rejected', code = 'UNSUPPORTED_BY_SERVICE', detail = ${detail},
          settled_at = now()
        where wallet_id = ${walletId}::uuid and status = 'queued'
      `);
    };
    const seen = serve(t, offer, answered(200));
    expectRefused(await call(w), 502, 'service probe failed', {
      code: 'UNSUPPORTED_BY_SERVICE',
      layer: 'off-chain',
      retryable: false,
      detail,
    });
    expect(seen).toHaveLength(1);
  });

  it('that lands after a refusal is paid and not delivered', async () => {
    const { w, offer } = await openStandard();
    const seen = serve(t, offer, answered(402, { sorry: 1 }));
    const refused = await call(w, {}, { 'idempotency-key': 'k' });
    expect(refused.json()).toMatchObject({ code: 'PAYMENT_REFUSED', detail: 'no reason given' });
    await settle(w.sessionId, 'confirmed');
    await sweep();
    const later = await call(w, {}, { 'idempotency-key': 'k' });
    expect([later.statusCode, later.json()]).toEqual([402, { sorry: 1 }]);
    expect(later.headers['x-tx-signature']).toBe(SIGNATURE);
    expect(await readSpend(w, String(later.headers['x-spend-id']))).toMatchObject({
      status: 'confirmed',
      upstream: { status: 402, delivery: 'paid_not_delivered' },
    });
    expect(seen).toHaveLength(2);
  });

  it('whose settlement is reported as pending or failed is decided by the chain', async () => {
    const { w, offer } = await openStandard();
    const pending = settledBy(false, { errorReason: 'settlement_pending' });
    const seen = serve(t, offer, answered(402, {}, pending));
    const headers = { prefer: 'wait=1', 'idempotency-key': 'k' };
    expect((await call(w, {}, headers)).statusCode).toBe(202);
    expect(await factsOf(w)).toMatchObject({ hint: SIGNATURE, status: 'in_flight' });
    await letTimePass(w);
    await sweep();
    expect(seen).toHaveLength(2);
    await settle(w.sessionId, 'confirmed');
    const later = await call(w, {}, headers);
    expect([later.statusCode, later.headers['x-tx-signature']]).toEqual([402, SIGNATURE]);
  });

  it('may be sent again while its outcome is open, and never after it has landed', async () => {
    const { w, offer } = await openStandard();
    const seen = serve(t, offer, noAnswer);
    const headers = { prefer: 'wait=1', 'idempotency-key': 'k' };
    expect((await call(w, {}, headers)).statusCode).toBe(202);
    const first = seen.length;
    await letTimePass(w);
    await sweep();
    expect(seen).toHaveLength(first + 1);
    const sent = seen.flatMap((request) => request.headers['payment-signature'] ?? []);
    expect(new Set(sent).size).toBe(1);
    await settle(w.sessionId, 'confirmed');
    await letTimePass(w);
    await sweep();
    expect(seen).toHaveLength(first + 1);
    const answer = await call(w, {}, headers);
    expectRefused(answer, 502, 'service did not deliver', {
      code: 'SERVICE_DID_NOT_DELIVER',
      tx_signature: SIGNATURE,
      remedy: expect.stringMatching(/refund/),
    });
    expect(answer.headers['x-tx-signature']).toBe(SIGNATURE);
    expect(await readSpend(w, answer.json().spend_id)).toMatchObject({
      upstream: { status: null, delivery: 'paid_not_delivered' },
    });
  });

  it('is taken over from an api that died after the header was released', async () => {
    const { w, offer } = await openStandard();
    const seen = serve(t, offer, answered(200, { rain: 1 }, settledBy(true)));
    const requested = await call(w, {}, { prefer: 'wait=0', 'idempotency-key': 'k' });
    expect(requested.statusCode).toBe(202);
    await waitUntil('the attempt', async () => (await factsOf(w)).status === 'in_flight');
    await t.db.query(sql.unsafe`
      update spend set released_at = now() where session_id = ${w.sessionId}::uuid
    `);
    await t.db.query(sql.unsafe`
      update delivery set state = 'delivering', tries = 1, first_try_at = now()
      where session_id = ${w.sessionId}::uuid
    `);
    await sweep();
    expect(seen.filter((request) => 'payment-signature' in request.headers)).toHaveLength(1);
    expect(await readSpend(w, requested.json().spend_id)).toMatchObject({
      upstream: { status: 200, delivery: 'delivered' },
    });
  });

  it('leaves the deny row to the settlement of the spend', async () => {
    const { w, offer } = await openStandard();
    serve(t, offer, answered(402));
    await call(w);
    expect(await auditOf(t, w)).toEqual([]);
  });
});
