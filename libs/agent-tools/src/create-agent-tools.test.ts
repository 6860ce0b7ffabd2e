/** The tools against a scripted API: what they send, and what a model reads. */
import { usdc } from '@agent-wallet/sdk';
import { describe, expect, it, test } from 'vitest';
import { z } from 'zod';
import { API_KEY, refusal, type Scripted, scriptWallet } from '../fixtures/scripted-wallet.ts';
import { createAgentTools } from './create-agent-tools.ts';

const RECIPIENT = 'HWHvQhFmJB3NUcu1aihKmrKegfVxBEHzwVX6yZCKEsi1';
const SPEND_ID = '0190f5a4-7d3c-8e21-a6b4-2f9c0d1e3a57';
const ACCEPTED_AT = '2026-11-23T01:00:00.000Z';
const SENT = { tx_signature: 'sig', status: 'confirmed', spend_id: SPEND_ID };
const SPEND = {
  spend_id: SPEND_ID,
  kind: 'transfer',
  status: 'confirmed',
  finalized: false,
  amount: 250_000,
  recipient_or_url: RECIPIENT,
  tx_signature: 'sig',
  error: null,
  code: null,
  detail: null,
  payment_proof_header: null,
  upstream: null,
  created_at: ACCEPTED_AT,
  settled_at: ACCEPTED_AT,
};
const TRANSFER = { recipient: RECIPIENT, amount: '0.25', request_id: 'invoice-17' };

/** Runs a tool against these responses; its output is checked against its schema. */
async function run(name: string, input: unknown, responses: readonly Scripted[], max?: bigint) {
  const { wallet, sent } = scriptWallet(...responses);
  const tool = createAgentTools({ wallet, maxAmount: max }).find((one) => one.name === name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  const faults: unknown[] = [];
  const output = await tool.run(input, { onFault: (fault) => faults.push(fault) });
  expect(tool.outputSchema.parse(output)).toEqual(output);
  expect(JSON.stringify(output)).not.toContain(API_KEY);
  return { output, sent, faults };
}

describe('the list of tools', () => {
  const tools = createAgentTools({ wallet: scriptWallet().wallet });

  it('has schemas that a model gets as objects, without references', () => {
    for (const { inputSchema, outputSchema } of tools) {
      const schemas = [z.toJSONSchema(inputSchema, { io: 'input' }), z.toJSONSchema(outputSchema)];
      expect(schemas).toMatchObject([{ type: 'object' }, { type: 'object' }]);
      expect(JSON.stringify(schemas)).not.toContain('$ref');
    }
  });

  it('requires a request_id of every tool that moves money, and of no other', () => {
    const required = tools.filter(({ inputSchema }) => 'request_id' in inputSchema.shape);
    const moving = tools.filter(({ annotations }) => !annotations.readOnlyHint);
    expect(moving.map(({ name }) => name)).toEqual(['transfer_usdc', 'pay_service']);
    expect(required).toEqual(moving);
  });
});

describe('a transfer', () => {
  it('sends base units, and its request_id as the idempotency key', async () => {
    const { output, sent } = await run('transfer_usdc', TRANSFER, [
      { body: SENT },
      { body: SPEND },
    ]);
    expect(sent).toEqual([
      {
        method: 'POST',
        path: '/v1/spend/transfer',
        key: 'invoice-17',
        body: { recipient: RECIPIENT, amount: '250000' },
      },
      { method: 'GET', path: `/v1/spend/${SPEND_ID}`, key: null, body: null },
    ]);
    expect(output.result).toEqual({
      spend_id: SPEND_ID,
      kind: 'transfer',
      status: 'confirmed',
      amount: '0.25',
      recipient_or_url: RECIPIENT,
      tx_signature: 'sig',
      accepted_at: ACCEPTED_AT,
      rejected_because: null,
    });
  });

  test.each([
    { amount: '0' },
    { amount: '0.0000001' },
    { amount: '1,5' },
    { amount: '-1' },
    { amount: 250_000 },
    { request_id: 'x'.repeat(65) },
    { request_id: 'short' },
    { request_id: 'with a space' },
    { request_id: undefined },
    { recipient: undefined },
  ])('with %o is refused and not sent', async (fields) => {
    const { output, sent } = await run('transfer_usdc', { ...TRANSFER, ...fields }, []);
    const [field = ''] = Object.keys(fields);
    expect(output.refusal).toMatchObject({
      code: 'INVALID_INPUT',
      reason: expect.stringContaining(`${field}: `),
      try_again: 'no',
    });
    expect(sent).toEqual([]);
  });

  it('above the limit of the tools is refused and not sent', async () => {
    const { output, sent } = await run('transfer_usdc', TRANSFER, [], usdc('0.2'));
    expect(output.refusal).toMatchObject({
      code: 'OVER_TOOL_LIMIT',
      reason: expect.stringContaining('0.2 USDC'),
      try_again: 'no',
    });
    expect(sent).toEqual([]);
  });
});

describe('a refusal', () => {
  test.each([
    [
      'of the program that waiting cures asks for a new request_id',
      refusal(402, 'DailyCapExceeded', {
        error: 'on-chain submission failed',
        retryable: true,
        remedy: 'wait until resets_at; then retry with a new Idempotency-Key',
        resets_at: 1_800_000_000,
        spend_id: SPEND_ID,
      }),
      {
        code: 'DailyCapExceeded',
        try_again: 'new_request_id',
        not_before: '2027-01-15T08:00:00.000Z',
        spend_id: SPEND_ID,
      },
    ],
    [
      'before acceptance that waiting cures keeps the request_id',
      refusal(403, 'OUTSIDE_TIME_WINDOW', { retryable: true, opens_at: 1_800_000_000 }),
      { try_again: 'same_call', not_before: '2027-01-15T08:00:00.000Z' },
    ],
    [
      'shows its amounts in USDC',
      refusal(402, 'INSUFFICIENT_LIQUID', { liquid: 100_000, amount: 250_000, deficit: 150_000 }),
      { try_again: 'no', amounts: { liquid: '0.1', amount: '0.25', deficit: '0.15' } },
    ],
    [
      'that the words do not name keeps those of the API, with request_id for its header',
      refusal(429, 'NEW_CODE', { remedy: 'retry with a new Idempotency-Key', detail: 'busy' }),
      { reason: 'NEW_CODE: busy', remedy: 'retry with a new request_id', try_again: 'no' },
    ],
    [
      'for arguments of an older payment names both ways on',
      refusal(409, 'IDEMPOTENCY_KEY_REUSED', { error: 'idempotency key reused' }),
      { try_again: 'no', remedy: expect.stringContaining('use a new request_id') },
    ],
  ])('%s', async (_name, response, expected) => {
    const { output } = await run('transfer_usdc', TRANSFER, [response]);
    expect(output).toMatchObject({ result: null, refusal: expected });
  });

  it('replaces a fault that no one foresaw, which goes to the log alone', async () => {
    const { wallet } = scriptWallet();
    const fault = new Error(`quotes ${API_KEY}`);
    const broken = { ...wallet, limits: () => Promise.reject(fault) };
    const faults: unknown[] = [];
    const [tool] = createAgentTools({ wallet: broken });
    const output = await tool?.run({}, { onFault: (thrown) => faults.push(thrown) });
    expect(output?.refusal).toMatchObject({ code: 'TOOL_FAULT' });
    expect(JSON.stringify(output)).not.toContain(API_KEY);
    expect(faults).toEqual([fault]);
  });

  it('is none when the caller aborts', async () => {
    const [tool] = createAgentTools({ wallet: scriptWallet().wallet });
    const signal = AbortSignal.abort(new Error('the user has left'));
    await expect(tool?.run({}, { signal })).rejects.toThrow('the user has left');
  });
});

describe('a paid service', () => {
  const CALL = { service: 'weather', max_amount: '0.05', request_id: 'weather-oslo' };

  it('is called through the API, and its reply says what it cost', async () => {
    const headers = { 'x-spend-id': SPEND_ID, 'x-tx-signature': 'sig' };
    const { output, sent } = await run(
      'pay_service',
      { ...CALL, path: '/oslo', body: { days: 3 } },
      [
        { body: { forecast: 'rain' }, headers },
        { body: { ...SPEND, kind: 'pay_service', amount: 20_000 } },
      ],
    );
    expect(sent[0]).toEqual({
      method: 'POST',
      path: '/v1/spend/service',
      key: 'weather-oslo',
      body: { slug: 'weather', path: '/oslo', body: { days: 3 }, max_amount: '50000' },
    });
    expect(output.result).toMatchObject({
      http_status: 200,
      body: '{"forecast":"rain"}',
      paid: '0.02',
      spend_id: SPEND_ID,
    });
  });

  it('is free where the API paid nothing', async () => {
    const { output } = await run('pay_service', CALL, [
      { body: 'x'.repeat(30_000), headers: { 'x-request-id': 'one' } },
    ]);
    expect(output.result).toMatchObject({ paid: '0', spend_id: null, body_is_cut: true });
  });
});

test('a quote names either a recipient or a service', async () => {
  const both = { amount: '1', recipient: RECIPIENT, service: 'weather' };
  for (const input of [both, { amount: '1' }]) {
    const { output } = await run('quote_spend', input, []);
    expect(output.refusal).toMatchObject({ code: 'INVALID_INPUT' });
  }
});

test('a rejected spend says why, and lists end at their limit', async () => {
  const rejected = {
    ...SPEND,
    status: 'rejected',
    tx_signature: null,
    error: 'rpc unavailable',
    code: 'NEVER_LANDED',
  };
  const { payment_proof_header: _proof, upstream: _upstream, ...item } = rejected;
  const listed = { ...item, session_id: '0190f5a4-7d3c-7e21-a6b4-2f9c0d1e3a57' };
  const items = [listed, listed, listed];
  const page = { body: { items, next_cursor: 'more' } };
  const { output } = await run('list_spends', { limit: 2 }, [page]);
  const one = { status: 'rejected', rejected_because: { try_again: 'new_request_id' } };
  expect(output.result).toMatchObject({ spends: [one, one] });
});
