import { SANDBOX_RESERVE } from '@agent-wallet/chain';
import type { LightMyRequestResponse } from 'fastify';
import { sql } from 'slonik';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { NO_INTEREST, sessionState } from '../fixtures/fake-chain.ts';
import {
  countSpends,
  openSession,
  post,
  type Session,
  settleQueued,
  startTestApp,
  type TestApp,
} from '../fixtures/test-app.ts';

let t: TestApp;
beforeAll(async () => {
  t = await startTestApp();
});
afterAll(() => t[Symbol.asyncDispose]());
afterEach(() => {
  t.onNudge = async () => {};
  t.chain.isDown = false;
  t.chain.yieldReserve = null;
  t.chain.reserveState = null;
  t.clock.nowMs = Date.now();
});

const ONE = 1n << 60n;
const DEPOSIT = '/v1/yield/deposit';
const WITHDRAW = '/v1/yield/withdraw';

/** A session that may do everything, on a chain with yield: 5 of 15 USDC deployed, 0.5 earned. */
async function openYield(): Promise<Session> {
  const s = await openSession(t, 10_000_000n);
  t.chain.sessions.set(
    s.sessionPda,
    sessionState({ allowedInstructions: 7, recipients: [s.recipient] }),
  );
  const { vaultPda, vaultUsdcAta } = t.chain.addressesOf(s.owner.pubkey);
  t.chain.vaults.set(vaultPda, {
    owner: s.owner.pubkey,
    maxDeployedFractionBp: 8_000,
    deployedAmount: 5_000_000n,
    paused: false,
    sessionsCreated: 1n,
    vaultTokenAccount: vaultUsdcAta,
  });
  t.chain.collateral.set(vaultPda, 5_000_000n);
  t.chain.yieldReserve = SANDBOX_RESERVE;
  setReserve(100_000_000n);
  return s;
}

/** A reserve at 1.1 for a unit of collateral. */
function setReserve(available: bigint): void {
  t.chain.reserveState = {
    available,
    totalScaled: 110_000_000n * ONE,
    collateralSupply: 100_000_000n,
    interest: NO_INTEREST,
  };
}

const ask = (
  s: Session,
  url: string,
  amount: unknown,
  headers: Record<string, string> = {},
): Promise<LightMyRequestResponse> => post(t, s.apiKey, url, { amount }, headers);

const denialRow = z.object({
  action: z.string(),
  decision: z.string(),
  reason: z.string().nullable(),
  amount: z.bigint().nullable(),
  detail: z.string().nullable(),
});
const auditRows = (s: Session) =>
  t.db.any(sql.type(denialRow)`
    select action, decision, reason, amount, detail
    from audit where wallet_id = ${s.walletId}::uuid order by seq
  `);

const reservedOf = (s: Session) =>
  t.db.anyFirst(sql.type(z.object({ reserved: z.bigint() }))`
    select reserved from spend where session_id = ${s.sessionId}::uuid order by accepted_no
  `);

async function setWindow(s: Session): Promise<void> {
  const day = (new Date(t.clock.nowMs).getUTCDay() + 6) % 7;
  // Any day but today.
  const window = { start_min: 0, end_min: 1_439, days: 127 - 2 ** day, timezone: 'UTC' };
  await t.db.query(sql.unsafe`
    insert into wallet_policy (wallet_id, version, time_window)
    values (${s.walletId}::uuid, 1, ${JSON.stringify(window)}::jsonb)
  `);
}

const position = async (s: Session) => {
  const headers = { authorization: `Bearer ${s.apiKey}` };
  const answer = await t.app.inject({ url: '/v1/yield/position', headers });
  return answer.json<Record<string, string | null>>();
};

const call = (s: Session, verb: 'deposit' | 'withdraw', amount: unknown) =>
  s.owner.call('POST', `/v1/wallet/yield/${verb}`, { amount });

describe('POST /v1/yield/deposit', () => {
  it('answers with signature, status and what is deployed then', async () => {
    const s = await openYield();
    t.onNudge = (sessionId) => settleQueued(t, sessionId);
    const answer = await ask(s, DEPOSIT, 1_000_000);
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toEqual({
      tx_signature: expect.stringMatching(/^sig/),
      status: 'confirmed',
      deployed: '5000000',
      spend_id: expect.any(String),
    });
    const [spend] = await reservedOf(s);
    expect(spend).toBe(1_000_000n);
  });

  it('says null for what is deployed when the chain cannot be read any more', async () => {
    const s = await openYield();
    t.onNudge = async (sessionId) => {
      await settleQueued(t, sessionId);
      t.chain.isDown = true;
    };
    const answer = await ask(s, DEPOSIT, 1_000_000);
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toMatchObject({ status: 'confirmed', deployed: null });
  });

  it('is 402 INSUFFICIENT_LIQUID with what is deployed when the vault holds less', async () => {
    const s = await openYield();
    const answer = await ask(s, DEPOSIT, 10_000_001);
    expect(answer.statusCode).toBe(402);
    expect(answer.json()).toMatchObject({
      error: 'INSUFFICIENT_LIQUID',
      layer: 'off-chain',
      liquid: 10_000_000,
      amount: 10_000_001,
      deficit: 1,
      deployed: 5_000_000,
    });
    expect(await auditRows(s)).toMatchObject([
      { action: 'yield_deposit', decision: 'deny', reason: 'INSUFFICIENT_LIQUID' },
    ]);
  });

  it('over the fraction goes to the chain for its words and reserves nothing on its way', async () => {
    const s = await openYield();
    t.onNudge = (sessionId) =>
      settleQueued(t, sessionId, {
        code: 'DeployedFractionExceeded',
        detail: 'Error processing Instruction 2: custom program error: 0x1838: DeployedFraction…',
      });
    const answer = await ask(s, DEPOSIT, 7_000_001);
    expect(answer.statusCode).toBe(402);
    expect(answer.json()).toMatchObject({
      error: 'on-chain submission failed',
      code: 'DeployedFractionExceeded',
      layer: 'on-chain',
      detail: expect.stringContaining('0x1838'),
      remedy: expect.stringContaining('max_deployed_fraction_bp'),
    });
    expect(await reservedOf(s)).toEqual([0n]);
  });

  it('into a vault without token accounts for yield names what the owner can do', async () => {
    const s = await openYield();
    t.onNudge = (sessionId) =>
      settleQueued(t, sessionId, {
        code: 'AccountNotInitialized',
        detail: 'AnchorError caused by account: collateral_token_account. Error Code: …',
      });
    const { remedy } = (await ask(s, DEPOSIT, 1)).json<{ remedy: string }>();
    expect(remedy).toContain('prepares the vault for yield');
  });
});

describe('POST /v1/yield/withdraw', () => {
  it('answers with the signature, asks for no liquidity and reserves nothing', async () => {
    const s = await openYield();
    t.chain.liquid.set(t.chain.addressesOf(s.owner.pubkey).vaultPda, 0n);
    t.onNudge = (sessionId) => settleQueued(t, sessionId);
    const answer = await ask(s, WITHDRAW, 5_000_000);
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toEqual({
      tx_signature: expect.stringMatching(/^sig/),
      spend_id: expect.any(String),
    });
    expect(await reservedOf(s)).toEqual([0n]);
  });

  it.each([
    ['less is available', 3_000_000n, 4_000_000, 3_000_000],
    [
      'the reserve has the principal of everything and not its interest',
      5_400_000n,
      5_000_000,
      4_999_999,
    ],
    ['nothing is available', 0n, 1, 0],
  ])(
    'is 409 PARTIAL_LIQUIDITY when %s, and sends nothing',
    async (_case, has, amount, available) => {
      const s = await openYield();
      setReserve(has);
      const answer = await ask(s, WITHDRAW, amount);
      expect(answer.statusCode).toBe(409);
      expect(answer.json()).toMatchObject({
        error: 'PARTIAL_LIQUIDITY',
        code: 'PARTIAL_LIQUIDITY',
        layer: 'off-chain',
        retryable: true,
        available,
      });
      expect(await countSpends(t, s.sessionId)).toBe(0);
      expect(await auditRows(s)).toEqual([
        {
          action: 'yield_withdraw',
          decision: 'deny',
          reason: 'PARTIAL_LIQUIDITY',
          amount: BigInt(amount),
          detail: `available ${available}`,
        },
      ]);
    },
  );

  it('of what is available exactly is accepted', async () => {
    const s = await openYield();
    setReserve(3_000_000n);
    t.onNudge = (sessionId) => settleQueued(t, sessionId);
    expect((await ask(s, WITHDRAW, 3_000_000)).statusCode).toBe(200);
  });

  it('that the reserve refuses on chain is the same 409, with what it has now', async () => {
    const s = await openYield();
    t.onNudge = async (sessionId) => {
      setReserve(2_000_000n);
      await settleQueued(t, sessionId, { code: 'PARTIAL_LIQUIDITY', detail: 'error: 0x1778' });
    };
    const answer = await ask(s, WITHDRAW, 4_000_000);
    expect(answer.statusCode).toBe(409);
    expect(answer.json()).toMatchObject({
      error: 'PARTIAL_LIQUIDITY',
      layer: 'on-chain',
      available: 2_000_000,
      detail: 'error: 0x1778',
    });
    const { spend_id } = answer.json<{ spend_id: string }>();
    const headers = { authorization: `Bearer ${s.apiKey}` };
    const read = await t.app.inject({ url: `/v1/spend/${spend_id}`, headers });
    expect(read.json()).toMatchObject({ status: 'rejected', error: 'PARTIAL_LIQUIDITY' });
  });

  it('of more than is deployed is for the chain to refuse, whatever the reserve has', async () => {
    const s = await openYield();
    setReserve(0n);
    t.onNudge = (sessionId) =>
      settleQueued(t, sessionId, { code: 'WithdrawExceedsDeployed', detail: 'Withdraw…: 0x1839' });
    const answer = await ask(s, WITHDRAW, 5_000_001);
    expect(answer.statusCode).toBe(402);
    expect(answer.json()).toMatchObject({
      error: 'on-chain submission failed',
      code: 'WithdrawExceedsDeployed',
      remedy: expect.stringContaining('/v1/yield/position'),
    });
  });

  it('is tried when the reserve cannot be read: the chain decides', async () => {
    const s = await openYield();
    t.chain.reserveState = null;
    t.onNudge = (sessionId) => settleQueued(t, sessionId);
    expect((await ask(s, WITHDRAW, 1)).statusCode).toBe(200);
  });
});

describe.each([DEPOSIT, WITHDRAW])('POST %s', (url) => {
  it('is 503 YIELD_DISABLED while yield is off, before the time window, without a row', async () => {
    const s = await openYield();
    await setWindow(s);
    t.chain.yieldReserve = null;
    const answer = await ask(s, url, 1);
    expect(answer.statusCode).toBe(503);
    expect(answer.json()).toMatchObject({
      error: 'YIELD_DISABLED',
      code: 'YIELD_DISABLED',
      retryable: false,
      detail: expect.stringContaining('switched off'),
    });
    expect(await auditRows(s)).toEqual([]);
    expect(await countSpends(t, s.sessionId)).toBe(0);
  });

  it('answers what an earlier key has got, also when yield was switched off since', async () => {
    const s = await openYield();
    t.onNudge = (sessionId) => settleQueued(t, sessionId);
    const key = { 'idempotency-key': 'one' };
    const first = await ask(s, url, 1_000, key);
    t.chain.yieldReserve = null;
    const again = await ask(s, url, 1_000, key);
    expect([first.statusCode, again.statusCode]).toEqual([200, 200]);
    expect(again.json()).toEqual(first.json());
    expect((await ask(s, url, 1_001, key)).statusCode).toBe(409);
    expect(await countSpends(t, s.sessionId)).toBe(1);
  });

  it('is 403 outside the time window, with its row', async () => {
    const s = await openYield();
    await setWindow(s);
    const answer = await ask(s, url, 1);
    expect(answer.statusCode).toBe(403);
    expect(answer.json()).toMatchObject({
      error: 'OUTSIDE_TIME_WINDOW',
      opens_at: expect.any(Number),
    });
    expect(await auditRows(s)).toMatchObject([
      {
        action: url === DEPOSIT ? 'yield_deposit' : 'yield_withdraw',
        reason: 'OUTSIDE_TIME_WINDOW',
      },
    ]);
  });

  it.each([[0], [-1], [1.5], ['x'], [null], [undefined], [2 ** 60]])(
    'is 400 for the amount %j',
    async (amount) => {
      const s = await openYield();
      const answer = await ask(s, url, amount);
      expect(answer.statusCode).toBe(400);
      expect(answer.json<{ error: string }>().error).toMatch(
        /^amount must be a positive number in base units/,
      );
      expect(await auditRows(s)).toEqual([]);
    },
  );

  it('asked for without waiting is 202 with where to look', async () => {
    const s = await openYield();
    const answer = await ask(s, url, 1_000, { prefer: 'respond-async' });
    expect(answer.statusCode).toBe(202);
    const { spend_id } = answer.json<{ spend_id: string }>();
    expect(answer.json()).toEqual({ spend_id, status: 'pending', tx_signature: null });
    expect(answer.headers['location']).toBe(`/v1/spend/${spend_id}`);
  });

  it('is 503 rpc unavailable when the chain is away', async () => {
    const s = await openYield();
    t.chain.isDown = true;
    const answer = await ask(s, url, 1);
    expect(answer.statusCode).toBe(503);
    expect(answer.json()).toMatchObject({ error: 'rpc unavailable' });
  });

  it('wants a key', async () => {
    const answer = await t.app.inject({ method: 'POST', url, payload: { amount: 1 } });
    expect(answer.statusCode).toBe(401);
  });
});

describe('GET /v1/yield/position', () => {
  it('tells what was earned, beside the principal', async () => {
    expect(await position(await openYield())).toEqual({
      liquid: '10000000',
      deployed: '5000000',
      accrued: '500000',
      total_balance: '15000000',
    });
  });

  it('leaves accrued null while yield is off and when the reserve cannot be read', async () => {
    const s = await openYield();
    t.chain.reserveState = null;
    expect(await position(s)).toMatchObject({ deployed: '5000000', accrued: null });
    setReserve(0n);
    t.chain.yieldReserve = null;
    expect(await position(s)).toMatchObject({ deployed: '5000000', accrued: null });
  });

  it('tells null from zero, and what was deployed last, when the chain is away', async () => {
    const s = await openYield();
    await position(s);
    t.chain.isDown = true;
    expect(await position(s)).toEqual({
      liquid: null,
      deployed: '5000000',
      accrued: null,
      total_balance: '5000000',
    });
    t.chain.isDown = false;
    t.chain.liquid.set(t.chain.addressesOf(s.owner.pubkey).vaultPda, 0n);
    expect(await position(s)).toMatchObject({ liquid: '0', total_balance: '5000000' });
  });
});

describe('the owner', () => {
  it('gets transactions that deploy and that bring some or everything home', async () => {
    const s = await openYield();
    const owner = s.owner.pubkey;
    const { transactions } = t.chain;
    const deposit = await call(s, 'deposit', 1_000_000);
    expect(deposit.json()).toEqual({
      txBase64: await transactions.yieldDeposit(owner, SANDBOX_RESERVE, 1_000_000n),
    });
    const some = { amount: 1_100_000n, collateralAmount: 1_000_000n };
    expect((await call(s, 'withdraw', 1_100_000)).json()).toEqual({
      txBase64: await transactions.yieldWithdraw(owner, SANDBOX_RESERVE, some),
    });
    const everything = { amount: 2n ** 64n - 1n, collateralAmount: 1n };
    expect((await call(s, 'withdraw', 'all')).json()).toEqual({
      txBase64: await transactions.yieldWithdraw(owner, SANDBOX_RESERVE, everything),
    });
  });

  it('is told what stands in the way', async () => {
    const s = await openYield();
    expect(await call(s, 'deposit', 10_000_001)).toMatchObject({ statusCode: 402 });
    const tooMuch = await call(s, 'withdraw', 5_000_001);
    expect(tooMuch.statusCode).toBe(402);
    expect(tooMuch.json()).toMatchObject({
      error: 'on-chain submission failed',
      detail: expect.stringMatching(/^WithdrawExceedsDeployed/),
    });
    setReserve(5_400_000n);
    const partial = await call(s, 'withdraw', 'all');
    expect(partial.statusCode).toBe(409);
    expect(partial.json()).toMatchObject({ error: 'PARTIAL_LIQUIDITY', available: 4_999_999 });
    expect((await call(s, 'withdraw', 4_999_999)).statusCode).toBe(200);
    expect((await call(s, 'withdraw', 'some')).json<{ error: string }>().error).toMatch(/^amount /);
    expect(await auditRows(s)).toEqual([]);
  });

  it('brings interest home also when nothing is deployed any more, and not out of nothing', async () => {
    const s = await openYield();
    const { vaultPda } = t.chain.addressesOf(s.owner.pubkey);
    const vault = t.chain.vaults.get(vaultPda);
    if (vault !== undefined) t.chain.vaults.set(vaultPda, { ...vault, deployedAmount: 0n });
    expect((await call(s, 'withdraw', 'all')).statusCode).toBe(200);
    t.chain.collateral.set(vaultPda, 0n);
    const nothing = await call(s, 'withdraw', 'all');
    expect(nothing.statusCode).toBe(409);
    expect(nothing.json()).toMatchObject({ error: 'nothing to withdraw' });
  });

  it('gets 503 YIELD_DISABLED while yield is off', async () => {
    const s = await openYield();
    t.chain.yieldReserve = null;
    for (const verb of ['deposit', 'withdraw'] as const) {
      const answer = await call(s, verb, 1);
      expect(answer.statusCode).toBe(503);
      expect(answer.json()).toMatchObject({ error: 'YIELD_DISABLED', detail: expect.any(String) });
    }
  });

  it('is asked for with a cookie, not with a key', async () => {
    const s = await openYield();
    const answer = await ask(s, '/v1/wallet/yield/deposit', 1);
    expect(answer.statusCode).toBe(401);
    expect(answer.json()).toMatchObject({ error: 'invalid jwt' });
  });
});
