/** Standard x402 offers of services outside the catalog: the agent gives the transaction out. */
import { sql } from 'slonik';
import { describe, expect, it } from 'vitest';
import { handedOutRows, SIGNATURE, WIRE } from '../fixtures/handed-out-rows.ts';
import { openSession, type Session } from '../fixtures/open-session.ts';
import { newAddress } from '../fixtures/signed-in-owner.ts';
import { countSpends, expectTrace, NEVER, setPolicy } from '../fixtures/spends-of-wallet.ts';
import { expectRefused, expectReply, useTestApp } from '../fixtures/test-app.ts';

const t = await useTestApp();
const { storeAttempts, settle } = handedOutRows(t);

const URL = 'https://shop.example/goods';
const KEY = { 'idempotency-key': 'order-7' };
const FEE_PAYER = newAddress();

async function openAllowed(liquid?: bigint): Promise<Session> {
  const s = await openSession(t, liquid);
  await setPolicy(t, s, { urls: [{ pattern: 'https://shop.example/*', max_per_call: 500 }] });
  t.onNudge = storeAttempts;
  return s;
}

const sign = (s: Session, fields: object = {}, headers: Record<string, string> = {}) => {
  const facilitator = { fee_payer: FEE_PAYER, memo: 'order 7' };
  const body = { url: URL, recipient: s.recipient, amount: 400, facilitator, ...fields };
  return s.call('/v1/spend/sign-payment', body, headers);
};

const transactionOf = async (answer: ReturnType<typeof sign>) =>
  (await answer).json<{ transaction?: string }>().transaction;

describe('POST /v1/spend/sign-payment with a facilitator', () => {
  it('returns 202 with the transaction once it is signed, and releases it before', async () => {
    const s = await openAllowed();
    const answer = await sign(s);
    const spendId = answer.json().spend_id;
    expect([answer.statusCode, answer.json()]).toEqual([
      202,
      {
        spend_id: spendId,
        status: 'pending',
        tx_signature: null,
        transaction: WIRE.toString('base64'),
      },
    ]);
    expect(answer.headers.location).toBe(`/v1/spend/${spendId}`);
    const row = await t.db.one(sql.unsafe`
      select kind, broadcaster, facilitator_fee_payer, facilitator_memo, reserved,
        released_at is not null as is_released
      from spend where spend_id = ${spendId}::uuid
    `);
    expect(row).toEqual({
      kind: 'sign_payment',
      broadcaster: 'facilitator',
      facilitator_fee_payer: FEE_PAYER,
      facilitator_memo: 'order 7',
      reserved: 400n,
      is_released: true,
    });
    // The transaction is in no other answer.
    const read = await s.call(`/v1/spend/${spendId}`);
    expect(read.body).not.toContain(WIRE.toString('base64'));
    expectReply(read, 200, { status: 'pending', payment_proof_header: null });
  });

  it('returns no transaction before it is signed, and a replay returns it then', async () => {
    const s = await openAllowed();
    t.onNudge = async () => {};
    const early = await sign(s, {}, { ...KEY, prefer: 'wait=0' });
    expect([early.statusCode, early.json()]).toEqual([
      202,
      { spend_id: expect.any(String), status: 'pending', tx_signature: null },
    ]);
    await storeAttempts(s.walletId);
    expect(await transactionOf(sign(s, {}, KEY))).toBe(WIRE.toString('base64'));
  });

  it('returns the same bytes to a replay while they can land, and never after', async () => {
    const s = await openAllowed();
    const first = await sign(s, {}, KEY);
    expect((await sign(s, {}, KEY)).body).toBe(first.body);
    await settle(s.sessionId, 'confirmed');
    const landed = await sign(s, {}, KEY);
    expect([landed.statusCode, landed.json()]).toEqual([
      200,
      {
        tx_signature: SIGNATURE,
        payment_proof_header: SIGNATURE,
        spend_id: first.json().spend_id,
      },
    ]);
    expect(await countSpends(t, s.sessionId)).toBe(1);
  });

  it('refuses a replay of a payment that was never sent, and frees its money', async () => {
    const s = await openAllowed(400n);
    await sign(s, {}, KEY);
    await settle(s.sessionId, 'rejected');
    const expired = await sign(s, {}, KEY);
    expectRefused(expired, 502, 'service did not deliver', { code: 'NOT_SETTLED' });
    expect(expired.body).not.toContain('transaction"');
    expect((await sign(s)).statusCode).toBe(202);
  });

  it('returns no transaction while intake is closed', async () => {
    const s = await openAllowed();
    await sign(s, {}, KEY);
    await t.db.query(sql.unsafe`
      insert into deployment (genesis_hash, program_id, usdc_mint, shut_at_height, shut_reason)
      values ('genesis', 'program', 'mint', 1, 'test')
    `);
    expect(await transactionOf(sign(s, {}, KEY))).toBeUndefined();
    await t.db.query(sql.unsafe`delete from deployment`);
    expect(await transactionOf(sign(s, {}, KEY))).toBeDefined();
  });

  it.each([
    [{ facilitator: { fee_payer: newAddress(), memo: 'order 7' } }],
    [{ facilitator: { fee_payer: FEE_PAYER, memo: 'order 8' } }],
    [{ facilitator: { fee_payer: FEE_PAYER } }],
    [{ facilitator: undefined }],
  ])('refuses the key of another offer: %j', async (fields) => {
    const s = await openAllowed();
    await sign(s, {}, KEY);
    expectRefused(await sign(s, fields, KEY), 409, 'idempotency key reused');
  });

  it.each([
    [7, /^facilitator must be an object with fee_payer/],
    [{}, /^facilitator.fee_payer must be a base58 address/],
    [{ fee_payer: 'payer' }, /^facilitator.fee_payer must be a base58 address/],
    [{ fee_payer: FEE_PAYER, memo: '' }, /^facilitator.memo must be a text of 1 to 256 bytes/],
    [{ fee_payer: FEE_PAYER, memo: 'é'.repeat(129) }, /^facilitator.memo must be a text/],
    [{ fee_payer: FEE_PAYER, memo: 'a\0b' }, /^facilitator.memo must be a text/],
    [{ fee_payer: FEE_PAYER, memo: '\ud800' }, /^facilitator.memo must be a text/],
    [{ fee_payer: FEE_PAYER, memo: null }, /^facilitator.memo must be a text/],
  ])('refuses %j with 400 and writes nothing', async (facilitator, text) => {
    const s = await openAllowed();
    expectRefused(await sign(s, { facilitator }), 400, text, { code: 'BAD_REQUEST' });
    await expectTrace(t, s, 0, []);
  });

  it('is judged by the rules of every payment, in their order', async () => {
    const s = await openAllowed(10n);
    expectRefused(await sign(s, { amount: 11 }), 402, 'INSUFFICIENT_LIQUID');
    expectRefused(await sign(s, { amount: 501 }), 403, 'URL_NOT_ALLOWED', { max_per_call: 500 });
    expectRefused(await sign(s, { url: 'https://other.example/' }), 403, 'URL_NOT_ALLOWED');
    await setPolicy(t, s, { hours: NEVER });
    expectRefused(await sign(s, { amount: 501 }), 403, 'OUTSIDE_TIME_WINDOW');
    expect(await countSpends(t, s.sessionId)).toBe(0);
  });

  it('refuses the 17th open payment of a session until one is settled', async () => {
    const s = await openAllowed();
    const answers = await Promise.all(Array.from({ length: 17 }, () => sign(s, { amount: 1 })));
    const codes = answers.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b);
    expect(codes).toEqual([...Array.from({ length: 16 }, () => 202), 429]);
    expectRefused(await sign(s, { amount: 1 }), 429, 'too many pending spends', {
      code: 'TOO_MANY_PENDING',
      detail: expect.stringMatching(/16 open payments/),
    });
    // A transfer, and another session, are not counted.
    const headers = { prefer: 'wait=0' };
    expect((await sign(s, { amount: 1, facilitator: undefined }, headers)).statusCode).toBe(202);
    expect((await sign(await openAllowed(), { amount: 1 })).statusCode).toBe(202);
    await settle(s.sessionId, 'rejected');
    expect((await sign(s, { amount: 1 })).statusCode).toBe(202);
  });
});
