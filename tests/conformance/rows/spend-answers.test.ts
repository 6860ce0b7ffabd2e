import { expect } from 'vitest';
import { waitUntil } from '../../support/wait-until.ts';
import { row } from '../row.ts';
import { chain, newSpender, refused, refusedOnChain } from '../world.ts';

const { owner, agent, recipient } = await newSpender(5_000_000n, { maxPerTx: 10_000n });
const readSpend = (spendId: unknown) => agent.call('GET', `/v1/spend/${String(spendId)}`);

row('open.pending', async () => {
  const answer = await agent.pay(71, {}, { prefer: 'wait=0' });
  expect(answer).toMatchObject({ status: 202, body: { status: 'pending' } });
  const location = answer.headers.get('location') ?? '';
  expect(location).toBe(`/v1/spend/${String(answer.body['spend_id'])}`);
  const settled = await waitUntil('the outcome at the Location', async () => {
    const { body } = await agent.call('GET', location);
    return body['status'] !== 'pending' && body;
  });
  expect(settled).toMatchObject({ status: 'confirmed', amount: 71 });
});

row('open.spend.read', async () => {
  const { body } = await agent.pay(72);
  expect((await readSpend(body['spend_id'])).body).toEqual({
    spend_id: body['spend_id'],
    kind: 'transfer',
    status: 'confirmed',
    finalized: expect.any(Boolean),
    amount: 72,
    recipient_or_url: recipient,
    tx_signature: body['tx_signature'],
    error: null,
    code: null,
    detail: null,
    payment_proof_header: null,
    upstream: null,
    created_at: expect.stringMatching(/Z$/),
    settled_at: expect.stringMatching(/Z$/),
  });
});

row('open.spend.rejected', async () => {
  const answer = await agent.pay(10_001);
  expect(answer).toMatchObject(refusedOnChain('AmountExceedsMaxPerTx'));
  expect((await readSpend(answer.body['spend_id'])).body).toMatchObject({
    status: 'rejected',
    error: 'on-chain submission failed',
    code: 'AmountExceedsMaxPerTx',
    detail: answer.body['detail'],
    tx_signature: null,
  });
});

row('open.spend.others', async () => {
  const sister = await owner.openAgent([]);
  const { body } = await agent.pay(73);
  const answer = await sister.call('GET', `/v1/spend/${String(body['spend_id'])}`);
  expect(answer).toMatchObject(refused(404, 'spend not found'));
});

row(['open.wait', 'open.idempotency.form'], async () => {
  for (const [header, value, status] of [
    ...['wait=61', 'wait=-1', 'wait=soon', 'wait='].map((text) => ['prefer', text, 400] as const),
    ['prefer', 'wait=60', 200],
    ['prefer', 'respond-async', 202],
    ...['a b', 'é', 'x'.repeat(256)].map((text) => ['idempotency-key', text, 400] as const),
    ['idempotency-key', '~'.repeat(255), 200],
  ] as const) {
    const answer = await agent.pay(74, {}, { [header]: value });
    expect([value, answer.status]).toEqual([value, status]);
  }
});

row(['open.idempotency.replay', 'open.idempotency.reused'], async () => {
  const account = chain.usdcAccountOf(recipient);
  const key = { 'idempotency-key': 'invoice-17' };
  const [before = 0n] = await chain.balances([account]);
  const first = await agent.pay(1_081, {}, key);
  const again = await agent.pay(1_081, {}, key);
  expect([first.status, again.status]).toEqual([200, 200]);
  expect(again.body).toEqual(first.body);
  const other = await agent.pay(1_082, {}, key);
  expect(other).toMatchObject(refused(409, 'idempotency key reused'));
  expect(await chain.balances([account])).toEqual([before + 1_081n]);
});

row('open.idempotency.denied', async () => {
  const key = { 'idempotency-key': 'invoice-19' };
  expect((await agent.pay(900_000_000, {}, key)).status).toBe(402);
  expect((await agent.pay(85, {}, key)).status).toBe(200);
});
