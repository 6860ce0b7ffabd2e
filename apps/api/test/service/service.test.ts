import { setServiceEnabled } from '@agent-wallet/spend';
import { sql } from 'slonik';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  answered,
  auditOf,
  call,
  challenge,
  offerOf,
  openService,
  readSpend,
  serve,
} from '../fixtures/service-world.ts';
import {
  countSpends,
  newAddress,
  post,
  settleQueued,
  startTestApp,
  type TestApp,
} from '../fixtures/test-app.ts';

let t: TestApp;
beforeAll(async () => {
  t = await startTestApp();
});
afterAll(() => t[Symbol.asyncDispose]());
const noService = () => Promise.reject(new Error('no service is expected to be asked'));
afterEach(() => {
  t.onNudge = async () => {};
  t.egress = noService;
  t.chain.isDown = false;
});

const confirmAll = () => {
  t.onNudge = (sessionId) => settleQueued(t, sessionId);
};

describe('POST /v1/spend/service', () => {
  it('pays what the service asks and passes its answer on', async () => {
    const w = await openService(t);
    confirmAll();
    const bought = answered(201, '{"rain":true}', { 'set-cookie': 'a=b', etag: '"7"' });
    const seen = serve(t, offerOf(w), bought);
    const answer = await call(
      t,
      w,
      { path: '/forecast?city=Oslo', body: { days: 3 } },
      { cookie: 'secret', 'x-payment': 'forged', 'x-trace': '7', 'idempotency-key': 'k-1' },
    );
    expect([answer.statusCode, answer.body]).toEqual([201, '{"rain":true}']);
    const signature = String(answer.headers['x-tx-signature']);
    expect(signature).toMatch(/^sig/);
    expect(answer.headers).toMatchObject({
      etag: '"7"',
      'content-type': 'application/json',
      'x-content-type-options': 'nosniff',
    });
    expect(answer.headers).not.toHaveProperty('set-cookie');
    const [probe, paid] = seen;
    expect(seen).toHaveLength(2);
    expect(probe).toMatchObject({
      method: 'POST',
      url: `${w.url}/forecast?city=Oslo`,
      body: Buffer.from('{"days":3}'),
      timeoutMs: 30_000,
      maxBytes: 5_242_880,
    });
    expect(paid).toMatchObject({ method: 'POST', url: probe?.url, body: probe?.body });
    expect(paid?.headers).toEqual({ ...probe?.headers, 'x-payment-proof': signature });
    expect(probe?.headers).toMatchObject({ 'x-trace': '7', 'content-type': 'application/json' });
    for (const name of ['authorization', 'cookie', 'x-payment', 'idempotency-key', 'host']) {
      expect(probe?.headers).not.toHaveProperty(name);
    }
    expect(await readSpend(t, w, String(answer.headers['x-spend-id']))).toMatchObject({
      kind: 'pay_service',
      status: 'confirmed',
      amount: 10_000,
      recipient_or_url: `${w.url}/forecast?city=Oslo`,
      payment_proof_header: null,
      upstream: { status: 201, body: '{"rain":true}', delivery: 'delivered' },
    });
  });

  it('asks by GET without a body, at the URL of the entry without a path', async () => {
    const w = await openService(t);
    confirmAll();
    const seen = serve(t, offerOf(w), answered(200));
    await call(t, w);
    expect(seen[0]).toMatchObject({ method: 'GET', url: w.url, body: null });
    expect(seen[0]?.headers).not.toHaveProperty('content-type');
  });

  it('asks by the method of the entry where it has one', async () => {
    const put = await openService(t, { method: 'PUT' });
    t.egress = async ({ method }) => answered(200, { method });
    expect((await call(t, put)).json()).toEqual({ method: 'PUT' });
    const get = await openService(t, { method: 'GET' });
    const refused = await call(t, get, { body: { a: 1 } });
    expect([refused.statusCode, refused.json().error]).toEqual([
      400,
      'body must be absent: this service is asked by GET',
    ]);
  });

  it.each([200, 204, 301, 404, 500])(
    'passes an answer %i that asks for nothing on, unpaid and unlogged',
    async (status) => {
      const w = await openService(t);
      t.egress = async () => answered(status, status === 204 ? '' : '{"free":1}');
      const answer = await call(t, w);
      expect(answer.statusCode).toBe(status);
      expect(answer.body).toBe(status === 204 ? '' : '{"free":1}');
      expect(answer.headers).not.toHaveProperty('x-tx-signature');
      expect(await countSpends(t, w.sessionId)).toBe(0);
      expect(await auditOf(t, w)).toEqual([]);
    },
  );

  it.each([
    [{ slug: 7 }, /^slug must be a string/],
    [{ slug: undefined }, /^slug must be a string/],
    [{ max_amount: 0 }, /^max_amount must be a positive number in base units/],
    [{ max_amount: undefined }, /^max_amount must be/],
    [{ path: 7 }, /^path must be a string/],
    [{ path: 'forecast' }, /^path must begin with a slash/],
    [{ path: '//evil.example/' }, /^path must not begin with two slashes/],
    [{ path: '/../admin' }, /^path must not contain dot segments/],
    [{ path: '/%2e%2e/admin' }, /^path must not/],
    [{ path: '/a\\b' }, /^path must not contain a backslash/],
    [{ path: '/a#b' }, /^path must not contain a fragment/],
  ])('refuses %j with 400 and asks nobody', async (fields, text) => {
    const w = await openService(t);
    const answer = await call(t, w, fields);
    expect(answer.statusCode).toBe(400);
    expect(answer.json().error).toMatch(text);
    expect(await auditOf(t, w)).toEqual([]);
  });

  it('takes a body of 200 KiB and refuses one above 256 KiB', async () => {
    const w = await openService(t);
    t.egress = async ({ body }) => answered(200, { bytes: body?.length });
    const large = await call(t, w, { body: 'x'.repeat(200 * 1024) });
    expect(large.json()).toEqual({ bytes: 200 * 1024 + 2 });
    const tooLarge = await call(t, w, { body: 'x'.repeat(256 * 1024) });
    expect([tooLarge.statusCode, tooLarge.json().error]).toEqual([413, 'body too large']);
  });

  it('refuses a body that is nested too deeply to be written', async () => {
    const w = await openService(t);
    const depth = 100_000;
    const answer = await t.app.inject({
      method: 'POST',
      url: '/v1/spend/service',
      headers: { authorization: `Bearer ${w.apiKey}`, 'content-type': 'application/json' },
      payload: `{"slug":"${w.slug}","max_amount":1,"body":${'['.repeat(depth)}${']'.repeat(depth)}}`,
    });
    expect([answer.statusCode, answer.json().error]).toEqual([400, 'body is nested too deeply']);
  });

  it.each(['unknown', 'Upper', "it's", 'nul\0', ''])(
    'answers 404 for the slug %j and writes no row',
    async (slug) => {
      const w = await openService(t);
      const answer = await call(t, w, { slug });
      expect([answer.statusCode, answer.json().error]).toEqual([
        404,
        `service '${slug}' not in catalog or disabled`,
      ]);
      expect(await auditOf(t, w)).toEqual([]);
    },
  );

  it('answers 404 for a disabled service', async () => {
    const w = await openService(t);
    await setServiceEnabled(t.db, w.slug, false);
    const answer = await call(t, w);
    expect(answer.statusCode).toBe(404);
    expect(answer.json().error).toBe(`service '${w.slug}' not in catalog or disabled`);
  });

  it('looks at the time window before the catalogue, with one deny row', async () => {
    const w = await openService(t);
    const closed = { start_min: 0, end_min: 0, days: 0, timezone: 'Europe/Berlin' };
    await t.db.query(sql.unsafe`
      insert into wallet_policy (wallet_id, version, time_window)
      values (${w.walletId}::uuid, 1, ${JSON.stringify(closed)}::jsonb)
    `);
    const unknown = await call(t, w, { slug: 'unknown' });
    expect([unknown.statusCode, unknown.json().error]).toEqual([403, 'OUTSIDE_TIME_WINDOW']);
    expect((await call(t, w, { path: '/a' })).statusCode).toBe(403);
    expect(await auditOf(t, w)).toEqual([
      expect.objectContaining({ reason: 'OUTSIDE_TIME_WINDOW', recipientOrUrl: null }),
      {
        action: 'pay_service',
        reason: 'OUTSIDE_TIME_WINDOW',
        amount: 20_000n,
        recipient: w.recipient,
        recipientOrUrl: `${w.url}/a`,
      },
    ]);
  });

  it.each(['timeout', 'unreachable', 'tls', 'refused_address', 'too_large'] as const)(
    'answers 502 when the probe fails with %s, without a row',
    async (reason) => {
      const w = await openService(t);
      t.egress = async () => ({ kind: 'failed', reason, detail: '10.0.0.7 said no' });
      const answer = await call(t, w);
      expect(answer.statusCode).toBe(502);
      expect(answer.json()).toEqual({
        error: 'service probe failed',
        code: 'SERVICE_PROBE_FAILED',
        layer: 'off-chain',
        retryable: true,
        detail: reason,
      });
      expect(await auditOf(t, w)).toEqual([]);
      expect(await countSpends(t, w.sessionId)).toBe(0);
    },
  );

  it('answers 502 to a 402 that cannot be read', async () => {
    const w = await openService(t);
    t.egress = async () => answered(402, 'pay me');
    const answer = await call(t, w);
    expect([answer.statusCode, answer.json().code]).toEqual([502, 'SERVICE_PROBE_FAILED']);
    expect(await auditOf(t, w)).toEqual([]);
  });

  it.each([
    ['payee', { payTo: newAddress() }],
    ['asset', { asset: newAddress() }],
    ['network', { network: 'eip155:8453' }],
    ['dialect', { extra: { feePayer: newAddress() } }],
  ])('refuses a challenge whose %s is not the entry’s, with one deny row', async (what, change) => {
    const w = await openService(t);
    t.egress = async () => challenge(offerOf(w, change));
    const answer = await call(t, w);
    expect(answer.statusCode).toBe(502);
    expect(answer.json()).toMatchObject({
      error: 'service probe failed',
      code: 'CHALLENGE_MISMATCH',
      detail: expect.stringContaining(`${what} is `),
      retryable: false,
    });
    expect(await auditOf(t, w)).toEqual([
      {
        action: 'pay_service',
        reason: 'CHALLENGE_MISMATCH',
        amount: 20_000n,
        recipient: w.recipient,
        recipientOrUrl: w.url,
      },
    ]);
    expect(await countSpends(t, w.sessionId)).toBe(0);
  });

  it('refuses a standard service that takes no payments by programs, before money moves', async () => {
    const w = await openService(t, { proof: 'x402' });
    const extra = { feePayer: newAddress(), features: { smartWalletSupported: false } };
    t.egress = async () => challenge(offerOf(w, { extra }));
    const answer = await call(t, w);
    expect([answer.statusCode, answer.json().code]).toEqual([502, 'UNSUPPORTED_BY_SERVICE']);
    const version1 = { ...offerOf(w, { extra: { feePayer: newAddress() } }) };
    t.egress = async () => answered(402, { x402Version: 1, accepts: [version1] });
    expect((await call(t, w)).json()).toMatchObject({
      error: 'service probe failed',
      code: 'UNSUPPORTED_BY_SERVICE',
    });
    expect((await auditOf(t, w)).map(({ reason }) => reason)).toEqual([
      'UNSUPPORTED_BY_SERVICE',
      'UNSUPPORTED_BY_SERVICE',
    ]);
    expect(await countSpends(t, w.sessionId)).toBe(0);
  });

  it.each([
    ['the agent allows', '20001', 20_001, 20_000, {}],
    ['the catalogue allows', '50001', 50_001, 50_000, { max_amount: 9_000_000 }],
    ['anybody has', '18446744073709551615', '18446744073709551615', 20_000, {}],
  ])('refuses a price above what %s', async (_who, amount, quoted, maxAmount, fields) => {
    const w = await openService(t);
    serve(t, offerOf(w, { amount }));
    const answer = await call(t, w, fields);
    expect(answer.statusCode).toBe(402);
    expect(answer.json()).toMatchObject({
      error: 'QUOTED_OVER_MAX',
      code: 'QUOTED_OVER_MAX',
      quoted,
      max_amount: maxAmount,
      layer: 'off-chain',
    });
    expect(await auditOf(t, w)).toMatchObject([
      { reason: 'QUOTED_OVER_MAX', amount: BigInt(amount), recipientOrUrl: w.url },
    ]);
    expect(await countSpends(t, w.sessionId)).toBe(0);
  });

  it('refuses a payee that is not in the session’s list, and queues nothing', async () => {
    const payTo = newAddress();
    const w = { ...(await openService(t, { payTo })), recipient: payTo };
    serve(t, offerOf(w));
    const answer = await call(t, w);
    expect(answer.statusCode).toBe(402);
    expect(answer.json()).toMatchObject({
      error: 'on-chain submission failed',
      code: 'RecipientNotAllowed',
      detail: expect.stringMatching(/^RecipientNotAllowed/),
    });
    expect(await auditOf(t, w)).toMatchObject([
      { reason: 'RecipientNotAllowed', amount: 10_000n, recipient: payTo },
    ]);
    expect(await countSpends(t, w.sessionId)).toBe(0);
  });

  it('refuses more than the balance holds', async () => {
    const w = await openService(t, {}, 9_999n);
    serve(t, offerOf(w));
    const answer = await call(t, w);
    expect([answer.statusCode, answer.json().error]).toEqual([402, 'INSUFFICIENT_LIQUID']);
    expect(answer.json()).toMatchObject({ liquid: 9_999, amount: 10_000, deficit: 1 });
    expect(await auditOf(t, w)).toMatchObject([{ reason: 'INSUFFICIENT_LIQUID' }]);
  });

  it('answers 503 and queues nothing while the chain is away', async () => {
    const w = await openService(t);
    serve(t, offerOf(w));
    t.chain.isDown = true;
    const answer = await call(t, w);
    expect([answer.statusCode, answer.json().error]).toEqual([503, 'rpc unavailable']);
    expect(await countSpends(t, w.sessionId)).toBe(0);
  });

  it('asks a curated service whatever the URL allowlist says', async () => {
    const w = await openService(t);
    confirmAll();
    serve(t, offerOf(w), answered(200));
    await t.db.query(sql.unsafe`
      insert into wallet_policy (wallet_id, version) values (${w.walletId}::uuid, 1)
    `);
    expect((await call(t, w)).statusCode).toBe(200);
  });

  it('wants a key before anything else', async () => {
    const w = await openService(t);
    const answer = await post(t, 'svc_dev_wrong', '/v1/spend/service', { slug: w.slug });
    expect([answer.statusCode, answer.json().error]).toEqual([401, 'invalid api key']);
  });

  it('answers a refusal of the chain in its words and asks the service no more', async () => {
    const w = await openService(t);
    const seen = serve(t, offerOf(w));
    t.onNudge = (id) => settleQueued(t, id, { code: 'VaultPaused', detail: 'VaultPaused' });
    const answer = await call(t, w);
    expect(answer.statusCode).toBe(402);
    expect(answer.json()).toMatchObject({ code: 'VaultPaused', spend_id: expect.any(String) });
    expect(seen).toHaveLength(1);
    expect(await readSpend(t, w, answer.json().spend_id)).toMatchObject({
      status: 'rejected',
      upstream: null,
    });
  });
});
