import { SANDBOX_RESERVE } from '@agent-wallet/chain';
import { applySpend, emptySpendWindow, opensAt } from '@agent-wallet/policy';
import { sql } from 'slonik';
import { describe, expect, it } from 'vitest';
import { NO_INTEREST } from '../fixtures/fake-chain.ts';
import { changeSession, changeVault, openSession, type Session } from '../fixtures/open-session.ts';
import { newAddress } from '../fixtures/signed-in-owner.ts';
import { expectRefused, startTestApp, type TestApp, useTestApp } from '../fixtures/test-app.ts';

const t = await useTestApp();

type Refusal = Record<string, unknown> & { readonly code: string; readonly status: number };
type Quote = {
  readonly allowed: boolean;
  readonly fits_at: number | null;
  readonly refusals: readonly Refusal[];
};

const post = (s: Session, url: string, payload: object) =>
  s.call(url, payload, { prefer: 'wait=0' });

async function quote(s: Session, body: object): Promise<Quote> {
  const answer = await post(s, '/v1/spend/quote', body);
  expect(answer.statusCode).toBe(200);
  return answer.json<Quote>();
}

const codes = ({ refusals }: Quote) => refusals.map(({ code }) => code);
const nowSeconds = () => Math.floor(t.clock.nowMs / 1000);
const transferOf = (s: Session, amount: number | string) => ({
  kind: 'transfer',
  recipient: s.recipient,
  amount,
});

const setPolicy = (s: Session, policy: object) =>
  s.owner.call('PUT', '/v1/wallet/policy', { url_allowlist: [], time_window: null, ...policy });

/** A window in UTC that opens in `hours` hours, for an hour, every day. */
function windowIn(hours: number) {
  const hour = (new Date(t.clock.nowMs).getUTCHours() + hours) % 24;
  return { start_min: hour * 60, end_min: hour * 60 + 59, days: 127, timezone: 'UTC' };
}

async function addService(slug: string, payTo: string): Promise<void> {
  await t.db.query(sql.unsafe`
    insert into service (slug, name, base_url, pay_to, max_price, method, proof, enabled)
    values (${slug}, 'A', 'https://a.example/', ${payTo}, 500, null, 'x-payment-proof', true)
  `);
}

const get = (s: Session) => s.call('/v1/agent/limits');

describe('GET /v1/agent/limits', () => {
  it('returns every limit of the agent', async () => {
    const s = await openSession(t, 42n);
    const hour = BigInt(Math.floor(t.clock.nowMs / 3_600_000)) * 3_600n;
    changeSession(t, s, {
      window: applySpend(emptySpendWindow(), BigInt(nowSeconds()), 2_000_000n),
    });
    changeVault(t, s, { paused: true, maxDeployedFractionBp: 2_500, deployedAmount: 7n });
    const entry = { pattern: 'https://a.example/**', max_per_call: 9 };
    await setPolicy(s, { url_allowlist: [entry], time_window: windowIn(3) });
    const answer = await get(s);
    expect([answer.statusCode, answer.json()]).toEqual([
      200,
      {
        session_id: s.sessionId,
        wallet_id: s.walletId,
        status: 'live',
        max_per_tx: 1_000_000,
        daily_cap: 5_000_000,
        daily_spent: 2_000_000,
        daily_remaining: 3_000_000,
        daily_window_start: Number(hour),
        daily_resets_at: Number(hour) + 25 * 3_600,
        expiry: 4_000_000_000,
        allowed_recipients: [s.recipient],
        allowed_instructions: 1,
        paused: true,
        liquid: 42,
        deployed_amount: 7,
        max_deployed_fraction_bp: 2_500,
        url_allowlist: [entry],
        time_window: windowIn(3),
        window_open: false,
        opens_at: Number(hour) + 3 * 3_600,
      },
    ]);
  });

  it('reports an open window where none is set, and 503 while the chain is unavailable', async () => {
    const s = await openSession(t);
    expect((await get(s)).json()).toMatchObject({
      window_open: true,
      opens_at: null,
      time_window: null,
      url_allowlist: [],
    });
    t.chain.isDown = true;
    expect((await get(s)).statusCode).toBe(503);
  });
});

describe('POST /v1/spend/quote', () => {
  it('allows a spend that would pass, and moves and logs nothing', async () => {
    const s = await openSession(t);
    expect(await quote(s, transferOf(s, 1_000_000))).toEqual({
      allowed: true,
      fits_at: nowSeconds(),
      refusals: [],
    });
    await quote(s, transferOf(s, '18446744073709551615'));
    const written = await t.db.oneFirst(sql.unsafe`
      select (select count(*) from spend where wallet_id = ${s.walletId}::uuid)
        + (select count(*) from audit where wallet_id = ${s.walletId}::uuid)
    `);
    expect(Number(written)).toBe(0);
    expect(t.nudged).not.toContain(s.walletId);
  });

  it('lists the refusals of both layers, the off-chain rules first', async () => {
    const s = await openSession(t, 10n);
    await setPolicy(s, { time_window: { ...windowIn(0), days: 0 } });
    const told = await quote(s, { ...transferOf(s, 1_000_001), recipient: newAddress() });
    expect(told).toMatchObject({ allowed: false, fits_at: null });
    expect(told.refusals.map(({ status, code, layer }) => [status, code, layer])).toEqual([
      [403, 'OUTSIDE_TIME_WINDOW', 'off-chain'],
      [402, 'INSUFFICIENT_LIQUID', 'off-chain'],
      [402, 'AmountExceedsMaxPerTx', 'on-chain'],
    ]);
  });

  it('returns the same refusals as the spend endpoints', async () => {
    const s = await openSession(t, 10n);
    const { recipient } = s;
    const signed = (url: string, amount: number) =>
      ['/v1/spend/sign-payment', { kind: 'sign_payment', url, recipient, amount }] as const;
    const service = { kind: 'pay_service', slug: 'nothing', amount: 1, max_amount: 1 };
    const entry = { pattern: 'https://a.example/**', max_per_call: 7 };
    await setPolicy(s, { url_allowlist: [entry] });
    for (const [url, body] of [
      ['/v1/spend/transfer', transferOf(s, 11)],
      signed('https://b.example/', 1),
      signed('https://a.example/x', 8),
      ['/v1/spend/service', service],
    ] as const) {
      const answer = await post(s, url, body);
      const [first] = (await quote(s, body)).refusals;
      expect(first).toEqual({ status: answer.statusCode, ...answer.json<object>() });
    }
    await setPolicy(s, { time_window: windowIn(2) });
    const answer = await post(s, '/v1/spend/transfer', { recipient, amount: 1 });
    const [first] = (await quote(s, transferOf(s, 1))).refusals;
    expect(first).toEqual({ status: 403, ...answer.json<object>() });
  });

  it.each([
    ['SessionExpired', { expiry: 1n }, {}, {}],
    ['InstructionNotAllowed', { allowedInstructions: 6 }, {}, {}],
    ['AmountExceedsMaxPerTx', { maxPerTx: 9n }, {}, { amount: 10 }],
    ['RecipientNotAllowed', { recipients: [] }, {}, {}],
    ['VaultPaused', {}, { paused: true }, {}],
  ] as const)('predicts %s', async (name, session, vault, request) => {
    const s = await openSession(t);
    changeSession(t, s, session);
    changeVault(t, s, vault);
    const told = await quote(s, { ...transferOf(s, 1), ...request });
    expect(told).toMatchObject({
      allowed: false,
      fits_at: null,
      refusals: [
        {
          status: 402,
          error: 'on-chain submission failed',
          code: name,
          layer: 'on-chain',
          retryable: false,
          detail: expect.stringContaining(name),
          remedy: expect.any(String),
        },
      ],
    });
  });

  it('predicts the refusal of a recipient without an account and of a session that is not on chain', async () => {
    const s = await openSession(t);
    t.chain.poor.add(s.recipient);
    expect(codes(await quote(s, transferOf(s, 1)))).toEqual(['AccountNotInitialized']);
    t.chain.poor.clear();
    t.chain.sessions.delete(s.sessionPda);
    expect(codes(await quote(s, transferOf(s, 1)))).toEqual(['AccountNotInitialized']);
    await t.db.query(sql.unsafe`
      update session set status = 'live', session_index = 0, live_slot = 1
      where session_id = ${s.sessionId}::uuid
    `);
    expect(codes(await quote(s, transferOf(s, 1)))).toEqual(['SessionRevoked']);
  });

  it('returns when a full daily cap has room for this amount', async () => {
    const s = await openSession(t);
    const hour = BigInt(Math.floor(t.clock.nowMs / 3_600_000)) * 3_600n;
    let window = applySpend(emptySpendWindow(), hour - 10n * 3_600n, 3_000_000n);
    window = applySpend(window, hour - 5n * 3_600n, 1_900_000n);
    changeSession(t, s, { window });
    const at = (hoursAgo: number) => Number(hour) + (25 - hoursAgo) * 3_600;
    const told = await quote(s, transferOf(s, 100_001));
    expect(told).toMatchObject({
      fits_at: at(10),
      refusals: [{ code: 'DailyCapExceeded', retryable: true, resets_at: at(10) }],
    });
    expect(codes(await quote(s, transferOf(s, 100_000)))).toEqual([]);
    changeSession(t, s, { maxPerTx: 10_000_000n });
    expect(await quote(s, transferOf(s, 4_000_000))).toMatchObject({ fits_at: at(5) });
    const never = await quote(s, transferOf(s, 5_000_001));
    expect(never).toMatchObject({
      fits_at: null,
      refusals: [{ resets_at: null, retryable: false }],
    });
    changeSession(t, s, { expiry: BigInt(at(10)) - 1n });
    expect(await quote(s, transferOf(s, 100_001))).toMatchObject({ fits_at: null });
  });

  it('counts what the session has in flight', async () => {
    const s = await openSession(t, 10_000_000n);
    changeSession(t, s, { maxPerTx: 5_000_000n });
    await post(s, '/v1/spend/transfer', { recipient: s.recipient, amount: 4_000_000 });
    expect(codes(await quote(s, transferOf(s, 1_000_000)))).toEqual([]);
    expect(codes(await quote(s, transferOf(s, 1_000_001)))).toEqual(['DailyCapExceeded']);
    t.chain.liquid.set(t.chain.addressesOf(s.owner.pubkey).vaultPda, 4_500_000n);
    expect(await quote(s, transferOf(s, 500_001))).toMatchObject({
      refusals: [{ code: 'INSUFFICIENT_LIQUID', reserved: 4_000_000, deficit: 1, retryable: true }],
      fits_at: null,
    });
  });

  it('finds the first moment at which both the hours and the cap allow it', async () => {
    const s = await openSession(t);
    const hour = BigInt(Math.floor(t.clock.nowMs / 3_600_000)) * 3_600n;
    changeSession(t, s, {
      window: applySpend(emptySpendWindow(), hour - 20n * 3_600n, 5_000_000n),
    });
    // The cap has room in five hours; the window is open for an hour in two, then a day later.
    await setPolicy(s, { time_window: windowIn(2) });
    const told = await quote(s, transferOf(s, 1));
    expect(codes(told)).toEqual(['OUTSIDE_TIME_WINDOW', 'DailyCapExceeded']);
    const { start_min: startMin, end_min: endMin, days, timezone } = windowIn(2);
    const roomMs = Number(hour + 5n * 3_600n) * 1000;
    const opens = opensAt({ startMin, endMin, days, timezone }, roomMs);
    expect(told.fits_at).toBe((opens ?? 0) / 1000);
    expect(told.fits_at).toBe(Number(hour) + 26 * 3_600);
  });

  it('knows the payee and the price of a service', async () => {
    const s = await openSession(t);
    await addService('listed', s.recipient);
    await addService('unlisted', newAddress());
    const request = (slug: string, amount: number) =>
      quote(s, { kind: 'pay_service', slug, amount });
    expect(await request('listed', 500)).toMatchObject({ allowed: true });
    expect(await request('listed', 501)).toMatchObject({
      refusals: [{ status: 402, error: 'QUOTED_OVER_MAX', quoted: 501, max_amount: 500 }],
    });
    expect(codes(await request('unlisted', 1))).toEqual(['RecipientNotAllowed']);
    expect((await request('NO SUCH\u0000', 1)).refusals[0]).toMatchObject({
      status: 404,
      error: "service 'NO SUCH\u0000' not in catalog or disabled",
    });
  });

  it('knows bitmap, fraction and principal of yield', async () => {
    const s = await openSession(t, 100n);
    const request = (kind: string, amount: number) => quote(s, { kind, amount });
    expect(codes(await request('yield_deposit', 1))).toEqual([
      'YIELD_DISABLED',
      'InstructionNotAllowed',
    ]);
    t.chain.yieldReserve = SANDBOX_RESERVE;
    expect(codes(await request('yield_deposit', 1))).toEqual(['InstructionNotAllowed']);
    changeSession(t, s, { allowedInstructions: 6 });
    expect(codes(await request('yield_deposit', 1))).toEqual(['DeployedFractionExceeded']);
    changeVault(t, s, { maxDeployedFractionBp: 5_000, deployedAmount: 10n });
    expect(await request('yield_deposit', 45)).toMatchObject({ allowed: true });
    expect(codes(await request('yield_deposit', 46))).toEqual(['DeployedFractionExceeded']);
    expect(codes(await request('yield_deposit', 101))).toEqual([
      'INSUFFICIENT_LIQUID',
      'DeployedFractionExceeded',
    ]);
    t.chain.liquid.clear();
    expect(await request('yield_withdraw', 10)).toMatchObject({ allowed: true });
    expect(codes(await request('yield_withdraw', 11))).toEqual(['WithdrawExceedsDeployed']);
    t.chain.reserveState = {
      available: 4n,
      totalScaled: 10n << 60n,
      collateralSupply: 10n,
      interest: NO_INTEREST,
    };
    t.chain.collateral.set(t.chain.addressesOf(s.owner.pubkey).vaultPda, 10n);
    expect(await request('yield_withdraw', 4)).toMatchObject({ allowed: true });
    expect(await request('yield_withdraw', 5)).toMatchObject({
      allowed: false,
      fits_at: null,
      refusals: [{ status: 409, error: 'PARTIAL_LIQUIDITY', available: 4 }],
    });
  });

  it.each([
    [{}, 'kind must be transfer, sign_payment'],
    [{ kind: 'gift', amount: 1 }, 'kind must be transfer, sign_payment'],
    [{ kind: 'transfer', amount: 1 }, 'recipient must be'],
    [{ kind: 'yield_deposit', amount: 0 }, 'amount must be a positive number in base units'],
    [{ kind: 'pay_service', amount: 1 }, 'slug must be a string'],
    [{ kind: 'sign_payment', amount: 1, url: 'http://a.example/' }, 'url must be an https URL'],
    [[], 'body must be a JSON object'],
  ])('refuses %j with 400', async (body, text) => {
    const answer = await post(await openSession(t), '/v1/spend/quote', body);
    expectRefused(answer, 400, new RegExp(`^${text}`));
  });
});

const requestBoth = (app: TestApp, apiKey: string | null) =>
  Promise.all(
    (['GET', 'POST'] as const).map((method) =>
      app.app.inject({
        method,
        url: method === 'GET' ? '/v1/agent/limits' : '/v1/spend/quote',
        headers: apiKey === null ? {} : { authorization: `Bearer ${apiKey}` },
      }),
    ),
  );

it('needs a key, and is not a route where the extensions are off', async () => {
  for (const answer of await requestBoth(t, null)) {
    expectRefused(answer, 401, 'missing bearer token');
  }
  await using plain = await startTestApp({ agentExtensions: false });
  const s = await openSession(plain);
  for (const answer of await requestBoth(plain, s.apiKey)) {
    expectRefused(answer, 404, 'route not found');
  }
});
