/** The client against a scripted API: what it sends, when it sends it again, what it throws. */
import { describe, expect, it, test } from 'vitest';
import { isAgentWalletError } from '../http/agent-wallet-error.ts';
import { refusal, reply, script, unreachable } from '../../fixtures/scripted-api.ts';
import type { AgentWallet } from './agent-wallet.ts';

const RECIPIENT = 'HWHvQhFmJB3NUcu1aihKmrKegfVxBEHzwVX6yZCKEsi1';
const SPEND_ID = '0190f5a4-7d3c-8e21-a6b4-2f9c0d1e3a57';
const PAID = { tx_signature: 'sig', status: 'confirmed', spend_id: SPEND_ID };

const payment = { recipient: RECIPIENT, amount: 250_000n };
const pay = (wallet: AgentWallet) => wallet.transfer(payment);

describe('a transfer', () => {
  it('sends the key, the amount as a decimal string and an idempotency key', async () => {
    const { wallet, sent } = script(reply(200, PAID));
    await expect(pay(wallet)).resolves.toEqual(PAID);
    expect(sent).toMatchObject([
      {
        url: 'https://api.example.com/v1/spend/transfer',
        body: { recipient: RECIPIENT, amount: '250000' },
      },
    ]);
    expect(sent[0]?.headers.get('authorization')).toBe('Bearer svc_dev_key');
    expect(sent[0]?.headers.get('idempotency-key')).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('keeps its key over retries, and the next call has another one', async () => {
    const { wallet, sent, pauses } = script(
      refusal(503, 'RPC_UNAVAILABLE'),
      unreachable,
      reply(503, null),
      reply(200, PAID),
      reply(200, PAID),
    );
    await pay(wallet);
    await pay(wallet);
    const keys = sent.map(({ headers }) => headers.get('idempotency-key'));
    expect(new Set(keys.slice(0, 4)).size).toBe(1);
    expect(keys[4]).not.toBe(keys[0]);
    expect(pauses).toEqual([1_000, 2_000, 30_000]);
  });

  it('sends the key and the wait of the caller', async () => {
    const { wallet, sent } = script(reply(200, PAID));
    await wallet.transfer(payment, { idempotencyKey: 'invoice-17', waitSeconds: 5 });
    expect(sent[0]?.headers.get('idempotency-key')).toBe('invoice-17');
    expect(sent[0]?.headers.get('prefer')).toBe('wait=5');
  });

  it('is a value while it is pending', async () => {
    const pending = { spend_id: SPEND_ID, status: 'pending', tx_signature: null };
    const { wallet } = script(reply(202, pending));
    await expect(pay(wallet)).resolves.toEqual(pending);
  });

  it('is not sent with a body that the contract refuses', async () => {
    const { wallet, sent } = script();
    const nothing = wallet.transfer({ recipient: 'nobody', amount: 1n });
    await expect(nothing).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      error: 'recipient must be a base58 address of 32 bytes',
    });
    await expect(wallet.transfer({ ...payment, amount: -1n })).rejects.toThrow(/^amount must be/);
    const settings = [
      { idempotencyKey: 'a key' },
      { idempotencyKey: '' },
      { timeoutMs: Number.NaN },
    ];
    for (const one of settings) {
      await expect(wallet.transfer(payment, one)).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    }
    expect(sent).toEqual([]);
  });
});

test('a refusal is thrown with its code, its amounts as base units, and the key of the call', async () => {
  const body = { error: 'INSUFFICIENT_LIQUID', liquid: 1, amount: '9007199254740993', deficit: 5 };
  const { wallet, sent } = script(refusal(402, 'INSUFFICIENT_LIQUID', body));
  const error: unknown = await pay(wallet).catch((thrown: unknown) => thrown);
  expect(isAgentWalletError(error, 'INSUFFICIENT_LIQUID')).toBe(true);
  expect(isAgentWalletError(error, 'QUOTED_OVER_MAX')).toBe(false);
  expect(error).toMatchObject({
    status: 402,
    details: { liquid: 1n, amount: 9_007_199_254_740_993n, deficit: 5n },
    idempotencyKey: sent[0]?.headers.get('idempotency-key'),
  });
});

test.each([
  ['DailyCapExceeded', 'on-chain submission failed', 'DailyCapExceeded'],
  ['MathOverflow', 'on-chain submission failed', 'PROGRAM'],
  ['A_NEWER_CODE', 'a newer text', 'UNKNOWN'],
])('the code %s of "%s" is %s', async (sentCode, error, code) => {
  const { wallet } = script(refusal(402, sentCode, { error }));
  await expect(pay(wallet)).rejects.toMatchObject({ code, sentCode, error });
});

describe('the time limit', () => {
  it('ends the retries with the last refusal', async () => {
    const { wallet, pauses } = script(
      ...Array.from({ length: 9 }, () => refusal(503, 'RECOVERING')),
    );
    const call = wallet.transfer(payment, { timeoutMs: 20_000 });
    await expect(call).rejects.toMatchObject({ code: 'RECOVERING' });
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000]);
  });

  it('is not spent on a Retry-After beyond it', async () => {
    const limited = reply(
      429,
      { error: 'rate limited', code: 'RATE_LIMITED', layer: 'off-chain', retryable: true },
      { 'retry-after': '3600' },
    );
    const { wallet, pauses } = script(limited);
    await expect(pay(wallet)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    expect(pauses).toEqual([]);
  });

  it('ends a wait with PENDING', async () => {
    const { wallet } = script(...Array.from({ length: 3 }, () => reply(200, pendingSpend)));
    await expect(wallet.waitFor(SPEND_ID, { timeoutMs: 2_500 })).rejects.toMatchObject({
      code: 'PENDING',
      details: { spend_id: SPEND_ID },
    });
  });
});

const pendingSpend = {
  spend_id: SPEND_ID,
  kind: 'transfer',
  status: 'pending',
  finalized: false,
  amount: 250_000,
  recipient_or_url: RECIPIENT,
  tx_signature: null,
  error: null,
  code: null,
  detail: null,
  payment_proof_header: null,
  upstream: null,
  created_at: '2027-01-15T08:00:00.000Z',
  settled_at: null,
};

describe('waitFor', () => {
  it('returns the spend once it is confirmed', async () => {
    const confirmed = { ...pendingSpend, status: 'confirmed', tx_signature: 'sig' };
    const { wallet, sent } = script(reply(200, pendingSpend), reply(200, confirmed));
    const spend = await wallet.waitFor({ spend_id: SPEND_ID });
    expect(spend).toMatchObject({ status: 'confirmed', tx_signature: 'sig', amount: 250_000n });
    expect(sent[1]?.url).toBe(`https://api.example.com/v1/spend/${SPEND_ID}`);
  });

  it.each([
    ['NEVER_LANDED', 'rpc unavailable', { status: 503, layer: 'off-chain', retryable: true }],
    ['DailyCapExceeded', 'on-chain submission failed', { status: 402, layer: 'on-chain' }],
  ])('throws the refusal %s of a rejected spend', async (code, error, expected) => {
    const { wallet } = script(reply(200, { ...pendingSpend, status: 'rejected', code, error }));
    await expect(wallet.waitFor(SPEND_ID)).rejects.toMatchObject({ code, error, ...expected });
  });
});

describe('without a usable reply', () => {
  it('a call says that its outcome is unknown, and how to repeat it', async () => {
    const { wallet } = script(reply(200, { other: 'form' }));
    await expect(wallet.transfer(payment, { idempotencyKey: 'k' })).rejects.toMatchObject({
      code: 'NO_REPLY',
      status: 200,
      idempotencyKey: 'k',
    });
  });

  it('a page of a proxy is no refusal', async () => {
    const { wallet } = script(new Response('<html>', { status: 404 }));
    await expect(wallet.position()).rejects.toMatchObject({ code: 'NO_REPLY', status: 404 });
  });
});

test('an aborted call throws the reason of its signal and is not sent again', async () => {
  const controller = new AbortController();
  const { wallet, sent } = script(() => {
    controller.abort(new Error('enough'));
    return refusal(503, 'RPC_UNAVAILABLE');
  });
  const call = wallet.transfer(payment, { signal: controller.signal });
  await expect(call).rejects.toThrow('enough');
  expect(sent).toHaveLength(1);
});

test('a service is called by its slug until its outcome is known, through the API alone', async () => {
  const paid = { 'x-spend-id': SPEND_ID, 'x-tx-signature': 'sig' };
  const { wallet, sent } = script(
    reply(202, { spend_id: SPEND_ID, status: 'pending', tx_signature: null }),
    reply(200, { forecast: 'rain' }, paid),
  );
  const response = await wallet.payService({ slug: 'weather', path: '/oslo', max_amount: 50_000n });
  expect(await response.json()).toEqual({ forecast: 'rain' });
  const body = { slug: 'weather', path: '/oslo', max_amount: '50000' };
  const url = 'https://api.example.com/v1/spend/service';
  expect(sent).toMatchObject([
    { url, body },
    { url, body },
  ]);
  const keys = sent.map(({ headers }) => headers.get('idempotency-key'));
  expect(new Set(keys).size).toBe(1);
});

test('spends are listed page by page', async () => {
  const { payment_proof_header: _proof, upstream: _upstream, ...listed } = pendingSpend;
  const item = { ...listed, session_id: '2b9c4f7e-61d8-4a35-8f02-c7e5d9a1b348' };
  const { wallet, sent } = script(
    reply(200, { items: [item, item], next_cursor: 'next' }),
    reply(200, { items: [item], next_cursor: null }),
  );
  const spends = await Array.fromAsync(wallet.spends({ kind: 'transfer' }));
  expect(spends.map(({ amount }) => amount)).toEqual([250_000n, 250_000n, 250_000n]);
  expect(sent.map(({ url }) => new URL(url).search)).toEqual([
    '?kind=transfer&limit=200',
    '?kind=transfer&cursor=next&limit=200',
  ]);
});
