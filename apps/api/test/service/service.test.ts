import { setServiceEnabled } from '@agent-wallet/spend';
import { describe, expect, it } from 'vitest';
import {
  answered,
  call,
  challenge,
  offerOf,
  openService,
  readSpend,
  serve,
} from '../fixtures/service-world.ts';
import { agentWith } from '../fixtures/open-session.ts';
import { newAddress } from '../fixtures/signed-in-owner.ts';
import {
  auditOf,
  countSpends,
  expectTrace,
  NEVER,
  setPolicy,
  settleOnNudge,
} from '../fixtures/spends-of-wallet.ts';
import { expectRefused, expectReply, useTestApp } from '../fixtures/test-app.ts';

const t = await useTestApp();

describe('POST /v1/spend/service', () => {
  it('pays the price of the service and returns its answer', async () => {
    const w = await openService(t);
    settleOnNudge(t);
    const bought = answered(201, '{"rain":true}', { 'set-cookie': 'a=b', etag: '"7"' });
    const seen = serve(t, offerOf(w), bought);
    const answer = await call(
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
    expect(await readSpend(w, String(answer.headers['x-spend-id']))).toMatchObject({
      kind: 'pay_service',
      status: 'confirmed',
      amount: 10_000,
      recipient_or_url: `${w.url}/forecast?city=Oslo`,
      payment_proof_header: null,
      upstream: { status: 201, body: '{"rain":true}', delivery: 'delivered' },
    });
  });

  it('sends GET without a body, to the URL of the entry without a path', async () => {
    const w = await openService(t);
    settleOnNudge(t);
    const seen = serve(t, offerOf(w), answered(200));
    await call(w);
    expect(seen[0]).toMatchObject({ method: 'GET', url: w.url, body: null });
    expect(seen[0]?.headers).not.toHaveProperty('content-type');
  });

  it('uses the method of the entry where it has one', async () => {
    const put = await openService(t, { method: 'PUT' });
    t.egress = async ({ method }) => answered(200, { method });
    expect((await call(put)).json()).toEqual({ method: 'PUT' });
    const get = await openService(t, { method: 'GET' });
    expectRefused(
      await call(get, { body: { a: 1 } }),
      400,
      'body must be absent: this service is called with GET',
    );
  });

  it.each([200, 204, 301, 307, 401, 404, 500])(
    'returns an answer %i that requires no payment as it is, unpaid and unlogged',
    async (status) => {
      const w = await openService(t);
      const withheld = {
        location: '/elsewhere',
        'www-authenticate': 'Basic',
        'set-cookie': 'a=b',
      };
      const body = status === 204 ? '' : '{"free":1}';
      t.egress = async () => answered(status, body, { ...withheld, 'content-type': 'text/plain' });
      const answer = await call(w, { path: '/a' });
      expect([answer.statusCode, answer.body]).toEqual([status, body]);
      expect(answer.headers['content-type']).toBe(body === '' ? undefined : 'text/plain');
      for (const name of [...Object.keys(withheld), 'x-tx-signature']) {
        expect(answer.headers).not.toHaveProperty(name);
      }
      await expectTrace(t, w, 0, []);
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
  ])('refuses %j with 400 and sends no request', async (fields, text) => {
    const w = await openService(t);
    expectRefused(await call(w, fields), 400, text);
    expect(await auditOf(t, w)).toEqual([]);
  });

  it('accepts a body of 200 KiB and refuses one above 256 KiB', async () => {
    const w = await openService(t);
    t.egress = async ({ body }) => answered(200, { bytes: body?.length });
    const large = await call(w, { body: 'x'.repeat(200 * 1024) });
    expect(large.json()).toEqual({ bytes: 200 * 1024 + 2 });
    expectRefused(await call(w, { body: 'x'.repeat(256 * 1024) }), 413, 'body too large');
  });

  it('refuses a body that is nested too deeply to be written', async () => {
    const w = await openService(t);
    const headers = { authorization: `Bearer ${w.apiKey}`, 'content-type': 'application/json' };
    const body = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const payload = `{"slug":"${w.slug}","max_amount":1,"body":${body}}`;
    const url = '/v1/spend/service';
    const answer = await t.app.inject({ method: 'POST', url, headers, payload });
    expectRefused(answer, 400, 'body is nested too deeply');
  });

  it.each(['unknown', 'Upper', 'NOTHING', '../etc', "it's", 'nul\0', ''])(
    'returns 404 for the slug %j and writes no row',
    async (slug) => {
      const w = await openService(t);
      const answer = await call(w, { slug });
      expectRefused(answer, 404, `service '${slug}' not in catalog or disabled`);
      expect(await auditOf(t, w)).toEqual([]);
    },
  );

  it('returns 404 for a disabled service', async () => {
    const w = await openService(t);
    await setServiceEnabled(t.db, w.slug, false);
    expectRefused(await call(w), 404, `service '${w.slug}' not in catalog or disabled`);
  });

  it('checks the time window before the catalog, with one deny row', async () => {
    const w = await openService(t);
    await setPolicy(t, w, { hours: NEVER });
    const code = 'OUTSIDE_TIME_WINDOW';
    expectRefused(await call(w, { slug: 'unknown' }), 403, code);
    expectRefused(await call(w, { path: '/a' }), 403, code);
    await expectTrace(t, w, 0, [code, code]);
    expect(await auditOf(t, w)).toMatchObject([
      { recipientOrUrl: null },
      {
        action: 'pay_service',
        amount: 20_000n,
        recipient: w.recipient,
        recipientOrUrl: `${w.url}/a`,
      },
    ]);
  });

  it.each(['timeout', 'unreachable', 'tls', 'refused_address', 'too_large'] as const)(
    'returns 502 when the probe fails with %s, without a row',
    async (reason) => {
      const w = await openService(t);
      t.egress = async () => ({ kind: 'failed', reason, detail: '10.0.0.7 said no' });
      const answer = await call(w);
      expect(answer.statusCode).toBe(502);
      expect(answer.json()).toEqual({
        error: 'service probe failed',
        code: 'SERVICE_PROBE_FAILED',
        layer: 'off-chain',
        retryable: true,
        detail: reason,
      });
      await expectTrace(t, w, 0, []);
    },
  );

  it('returns 502 for an unreadable 402', async () => {
    const w = await openService(t);
    t.egress = async () => answered(402, 'pay me');
    const answer = await call(w);
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
    expectRefused(await call(w), 502, 'service probe failed', {
      code: 'CHALLENGE_MISMATCH',
      detail: expect.stringContaining(`${what} is `),
      retryable: false,
    });
    await expectTrace(t, w, 0, ['CHALLENGE_MISMATCH']);
    expect(await auditOf(t, w)).toMatchObject([
      {
        action: 'pay_service',
        amount: 20_000n,
        recipient: w.recipient,
        recipientOrUrl: w.url,
      },
    ]);
  });

  it('refuses a standard service that accepts no payments by programs, before money moves', async () => {
    const w = await openService(t, { proof: 'x402' });
    const extra = { feePayer: newAddress(), features: { smartWalletSupported: false } };
    t.egress = async () => challenge(offerOf(w, { extra }));
    const answer = await call(w);
    expect([answer.statusCode, answer.json().code]).toEqual([502, 'UNSUPPORTED_BY_SERVICE']);
    const version1 = { ...offerOf(w, { extra: { feePayer: newAddress() } }) };
    t.egress = async () => answered(402, { x402Version: 1, accepts: [version1] });
    expect((await call(w)).json()).toMatchObject({
      error: 'service probe failed',
      code: 'UNSUPPORTED_BY_SERVICE',
    });
    await expectTrace(t, w, 0, ['UNSUPPORTED_BY_SERVICE', 'UNSUPPORTED_BY_SERVICE']);
  });

  it.each([
    ['the agent allows', '20001', 20_001, 20_000, {}],
    ['the catalog allows', '50001', 50_001, 50_000, { max_amount: 9_000_000 }],
    ['any vault holds', '18446744073709551615', '18446744073709551615', 20_000, {}],
  ])('refuses a price above what %s', async (_who, amount, quoted, maxAmount, fields) => {
    const w = await openService(t);
    serve(t, offerOf(w, { amount }));
    expectRefused(await call(w, fields), 402, 'QUOTED_OVER_MAX', {
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
    expectRefused(await call(w), 402, 'on-chain submission failed', {
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
    const answer = await call(w);
    expectRefused(answer, 402, 'INSUFFICIENT_LIQUID');
    expect(answer.json()).toMatchObject({ liquid: 9_999, amount: 10_000, deficit: 1 });
    expect(await auditOf(t, w)).toMatchObject([{ reason: 'INSUFFICIENT_LIQUID' }]);
  });

  it('returns 503 and queues nothing while the chain is unavailable', async () => {
    const w = await openService(t);
    serve(t, offerOf(w));
    t.chain.isDown = true;
    expectRefused(await call(w), 503, 'rpc unavailable');
    expect(await countSpends(t, w.sessionId)).toBe(0);
  });

  it('calls a curated service regardless of the URL allowlist', async () => {
    const w = await openService(t);
    settleOnNudge(t);
    serve(t, offerOf(w), answered(200));
    await setPolicy(t, w);
    expect((await call(w)).statusCode).toBe(200);
  });

  it('checks the key first', async () => {
    const w = await openService(t);
    const { call: callWith } = agentWith(t, 'svc_dev_wrong', w.recipient);
    expectRefused(await callWith('/v1/spend/service', { slug: w.slug }), 401, 'invalid api key');
  });

  it('returns a refusal of the chain with its detail, without another request to the service', async () => {
    const w = await openService(t);
    const seen = serve(t, offerOf(w));
    settleOnNudge(t, 'VaultPaused');
    const answer = await call(w);
    expectReply(answer, 402, { code: 'VaultPaused', spend_id: expect.any(String) });
    expect(seen).toHaveLength(1);
    expect(await readSpend(w, answer.json().spend_id)).toMatchObject({
      status: 'rejected',
      upstream: null,
    });
  });
});
