import { SANDBOX_RESERVE } from '@agent-wallet/chain';
import { sql } from 'slonik';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { NO_INTEREST } from '../fixtures/fake-chain.ts';
import { changeSession, changeVault, openSession, type Session } from '../fixtures/open-session.ts';
import {
  auditOf,
  expectTrace,
  setPolicy,
  settleOnNudge,
  settleQueued,
} from '../fixtures/spends-of-wallet.ts';
import { expectRefused, expectReply, useTestApp } from '../fixtures/test-app.ts';

const t = await useTestApp();

const ONE = 1n << 60n;
const DEPOSIT = '/v1/yield/deposit';
const WITHDRAW = '/v1/yield/withdraw';

/** A session that may do everything, on a chain with yield: 5 of 15 USDC deployed, 0.5 earned. */
async function openYield(): Promise<Session & { readonly vaultPda: string }> {
  const s = await openSession(t, 10_000_000n);
  changeSession(t, s, { allowedInstructions: 7 });
  changeVault(t, s, { maxDeployedFractionBp: 8_000, deployedAmount: 5_000_000n });
  const { vaultPda } = t.chain.addressesOf(s.owner.pubkey);
  t.chain.collateral.set(vaultPda, 5_000_000n);
  t.chain.yieldReserve = SANDBOX_RESERVE;
  setReserve(100_000_000n);
  return { ...s, vaultPda };
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

const request = (s: Session, url: string, amount: unknown, headers: Record<string, string> = {}) =>
  s.call(url, { amount }, headers);

const reservedOf = (s: Session) =>
  t.db.anyFirst(sql.type(z.object({ reserved: z.bigint() }))`
    select reserved from spend where session_id = ${s.sessionId}::uuid order by accepted_no
  `);

/** Hours on every day but today. */
function notToday() {
  const day = (new Date(t.clock.nowMs).getUTCDay() + 6) % 7;
  return { start_min: 0, end_min: 1_439, days: 127 - 2 ** day, timezone: 'UTC' };
}

const position = async (s: Session) =>
  (await s.call('/v1/yield/position')).json<Record<string, string | null>>();

const call = (s: Session, verb: 'deposit' | 'withdraw', amount: unknown) =>
  s.owner.call('POST', `/v1/wallet/yield/${verb}`, { amount });

describe('POST /v1/yield/deposit', () => {
  it('returns the signature, the status and the deployed amount', async () => {
    const s = await openYield();
    settleOnNudge(t);
    const answer = await request(s, DEPOSIT, 1_000_000);
    expect([answer.statusCode, answer.json()]).toEqual([
      200,
      {
        tx_signature: expect.stringMatching(/^sig/),
        status: 'confirmed',
        deployed: '5000000',
        spend_id: expect.any(String),
      },
    ]);
    expect(await reservedOf(s)).toEqual([1_000_000n]);
  });

  it('returns null for the deployed amount when the chain has become unavailable', async () => {
    const s = await openYield();
    t.onNudge = async (walletId) => {
      await settleQueued(t, walletId);
      t.chain.isDown = true;
    };
    expectReply(await request(s, DEPOSIT, 1_000_000), 200, { status: 'confirmed', deployed: null });
  });

  it('is 402 INSUFFICIENT_LIQUID with the deployed amount when the vault holds less', async () => {
    const s = await openYield();
    expectRefused(await request(s, DEPOSIT, 10_000_001), 402, 'INSUFFICIENT_LIQUID', {
      layer: 'off-chain',
      liquid: 10_000_000,
      amount: 10_000_001,
      deficit: 1,
      deployed: 5_000_000,
    });
    const deny = { action: 'yield_deposit', decision: 'deny', reason: 'INSUFFICIENT_LIQUID' };
    expect(await auditOf(t, s)).toMatchObject([deny]);
  });

  it('is refused by the chain above the fraction, and reserves nothing until then', async () => {
    const s = await openYield();
    const code = 'DeployedFractionExceeded';
    settleOnNudge(t, code, 'Error processing Instruction 2: custom program error: 0x1838');
    expectRefused(await request(s, DEPOSIT, 7_000_001), 402, 'on-chain submission failed', {
      code,
      layer: 'on-chain',
      detail: expect.stringContaining('0x1838'),
      remedy: expect.stringContaining('max_deployed_fraction_bp'),
    });
    expect(await reservedOf(s)).toEqual([0n]);
  });

  it('names the remedy of the owner when the vault has no token accounts for yield', async () => {
    const s = await openYield();
    const detail = 'AnchorError caused by account: collateral_token_account. Error Code: …';
    settleOnNudge(t, 'AccountNotInitialized', detail);
    const remedy = expect.stringContaining('prepares the vault for yield');
    expectReply(await request(s, DEPOSIT, 1), 402, { remedy });
  });
});

describe('POST /v1/yield/withdraw', () => {
  it('returns the signature, needs no liquidity and reserves nothing', async () => {
    const s = await openYield();
    t.chain.liquid.set(s.vaultPda, 0n);
    settleOnNudge(t);
    const answer = await request(s, WITHDRAW, 5_000_000);
    expect([answer.statusCode, answer.json()]).toEqual([
      200,
      { tx_signature: expect.stringMatching(/^sig/), spend_id: expect.any(String) },
    ]);
    expect(await reservedOf(s)).toEqual([0n]);
  });

  it.each([
    ['less is available', 3_000_000n, 4_000_000, 3_000_000],
    ['the reserve has the principal but not the interest', 5_400_000n, 5_000_000, 4_999_999],
    ['nothing is available', 0n, 1, 0],
  ])(
    'is 409 PARTIAL_LIQUIDITY when %s, and sends nothing',
    async (_case, has, amount, available) => {
      const s = await openYield();
      setReserve(has);
      const code = 'PARTIAL_LIQUIDITY';
      const rest = { code, layer: 'off-chain', retryable: true, available };
      expectRefused(await request(s, WITHDRAW, amount), 409, code, rest);
      await expectTrace(t, s, 0, [code]);
      expect(await auditOf(t, s)).toMatchObject([
        { action: 'yield_withdraw', amount: BigInt(amount), detail: `available ${available}` },
      ]);
    },
  );

  it('accepts exactly what is available', async () => {
    const s = await openYield();
    setReserve(3_000_000n);
    settleOnNudge(t);
    expect((await request(s, WITHDRAW, 3_000_000)).statusCode).toBe(200);
  });

  it('is the same 409 when the reserve refuses on chain, with what it has then', async () => {
    const s = await openYield();
    const [code, detail] = ['PARTIAL_LIQUIDITY', 'error: 0x1778'];
    t.onNudge = async (walletId) => {
      setReserve(2_000_000n);
      await settleQueued(t, walletId, { code, detail });
    };
    const answer = await request(s, WITHDRAW, 4_000_000);
    const rest = { layer: 'on-chain', available: 2_000_000, detail };
    expectRefused(answer, 409, code, rest);
    const { spend_id } = answer.json<{ spend_id: string }>();
    expectReply(await s.call(`/v1/spend/${spend_id}`), 200, { status: 'rejected', error: code });
  });

  it('leaves more than is deployed for the chain to refuse, whatever the reserve has', async () => {
    const s = await openYield();
    setReserve(0n);
    const code = 'WithdrawExceedsDeployed';
    settleOnNudge(t, code, 'Withdraw…: 0x1839');
    const rest = { code, remedy: expect.stringContaining('/v1/yield/position') };
    expectRefused(await request(s, WITHDRAW, 5_000_001), 402, 'on-chain submission failed', rest);
  });

  it('is sent when the reserve cannot be read: the chain decides', async () => {
    const s = await openYield();
    t.chain.reserveState = null;
    settleOnNudge(t);
    expect((await request(s, WITHDRAW, 1)).statusCode).toBe(200);
  });
});

describe.each([DEPOSIT, WITHDRAW])('POST %s', (url) => {
  it('is 503 YIELD_DISABLED while yield is off, before the time window, without a row', async () => {
    const s = await openYield();
    await setPolicy(t, s, { hours: notToday() });
    t.chain.yieldReserve = null;
    const code = 'YIELD_DISABLED';
    const rest = { code, retryable: false, detail: expect.stringContaining('switched off') };
    expectRefused(await request(s, url, 1), 503, code, rest);
    await expectTrace(t, s, 0, []);
  });

  it('replays the answer of an idempotency key, also when yield was switched off since', async () => {
    const s = await openYield();
    settleOnNudge(t);
    const key = { 'idempotency-key': 'one' };
    const first = await request(s, url, 1_000, key);
    t.chain.yieldReserve = null;
    const again = await request(s, url, 1_000, key);
    expect([first.statusCode, again.statusCode]).toEqual([200, 200]);
    expect(again.json()).toEqual(first.json());
    expect((await request(s, url, 1_001, key)).statusCode).toBe(409);
    await expectTrace(t, s, 1, []);
  });

  it('is 403 outside the time window, with its row', async () => {
    const s = await openYield();
    await setPolicy(t, s, { hours: notToday() });
    const code = 'OUTSIDE_TIME_WINDOW';
    expectRefused(await request(s, url, 1), 403, code, { opens_at: expect.any(Number) });
    const action = url === DEPOSIT ? 'yield_deposit' : 'yield_withdraw';
    expect(await auditOf(t, s)).toMatchObject([{ action, reason: code }]);
  });

  it.each([[0], [-1], [1.5], ['x'], [null], [undefined], [2 ** 60]])(
    'is 400 for the amount %j',
    async (amount) => {
      const s = await openYield();
      const text = /^amount must be a positive number in base units/;
      expectRefused(await request(s, url, amount), 400, text);
      expect(await auditOf(t, s)).toEqual([]);
    },
  );

  it('without waiting is 202 with a Location', async () => {
    const s = await openYield();
    const answer = await request(s, url, 1_000, { prefer: 'respond-async' });
    expect(answer.statusCode).toBe(202);
    const { spend_id } = answer.json<{ spend_id: string }>();
    expect(answer.json()).toEqual({ spend_id, status: 'pending', tx_signature: null });
    expect(answer.headers['location']).toBe(`/v1/spend/${spend_id}`);
  });

  it('is 503 rpc unavailable when the chain is unavailable', async () => {
    const s = await openYield();
    t.chain.isDown = true;
    expectRefused(await request(s, url, 1), 503, 'rpc unavailable');
  });

  it('needs a key', async () => {
    const answer = await t.app.inject({ method: 'POST', url, payload: { amount: 1 } });
    expect(answer.statusCode).toBe(401);
  });
});

describe('GET /v1/yield/position', () => {
  it('returns what was earned beside the principal', async () => {
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

  it('tells null from zero, and keeps the last deployed amount without the chain', async () => {
    const s = await openYield();
    await position(s);
    t.chain.isDown = true;
    const unread = { liquid: null, deployed: '5000000', accrued: null, total_balance: '5000000' };
    expect(await position(s)).toEqual(unread);
    t.chain.isDown = false;
    t.chain.liquid.set(s.vaultPda, 0n);
    expect(await position(s)).toMatchObject({ liquid: '0', total_balance: '5000000' });
  });
});

describe('the owner', () => {
  it('receives transactions that deposit, and that withdraw some or everything', async () => {
    const s = await openYield();
    const owner = s.owner.pubkey;
    const { transactions } = t.chain;
    const withdrawing = (amount: bigint, collateralAmount: bigint) =>
      transactions.yieldWithdraw(owner, SANDBOX_RESERVE, { amount, collateralAmount });
    for (const [verb, amount, txBase64] of [
      ['deposit', 1_000_000, await transactions.yieldDeposit(owner, SANDBOX_RESERVE, 1_000_000n)],
      ['withdraw', 1_100_000, await withdrawing(1_100_000n, 1_000_000n)],
      ['withdraw', 'all', await withdrawing(2n ** 64n - 1n, 5_000_000n)],
    ] as const) {
      expect((await call(s, verb, amount)).json()).toEqual({ txBase64 });
    }
  });

  it('receives the reason for a refusal, without a row', async () => {
    const s = await openYield();
    expect((await call(s, 'deposit', 10_000_001)).statusCode).toBe(402);
    const detail = expect.stringMatching(/^WithdrawExceedsDeployed/);
    const tooMuch = await call(s, 'withdraw', 5_000_001);
    expectRefused(tooMuch, 402, 'on-chain submission failed', { detail });
    setReserve(5_400_000n);
    const partial = await call(s, 'withdraw', 5_000_000);
    expectRefused(partial, 409, 'PARTIAL_LIQUIDITY', { available: 4_999_999 });
    expect((await call(s, 'withdraw', 4_999_999)).statusCode).toBe(200);
    expectRefused(await call(s, 'withdraw', 'some'), 400, /^amount /);
    expect(await auditOf(t, s)).toEqual([]);
  });

  it('withdraws as much collateral as the reserve can pay for now', async () => {
    const s = await openYield();
    const { transactions } = t.chain;
    const everything = (collateralAmount: bigint) =>
      transactions.yieldWithdraw(s.owner.pubkey, SANDBOX_RESERVE, {
        amount: 2n ** 64n - 1n,
        collateralAmount,
      });
    setReserve(1_100_000n);
    expect((await call(s, 'withdraw', 'all')).json()).toEqual({
      txBase64: await everything(1_000_000n),
    });
    setReserve(0n);
    expectRefused(await call(s, 'withdraw', 'all'), 409, 'PARTIAL_LIQUIDITY', { available: 0 });
    // Without a reserve that can be read, the program decides.
    t.chain.reserveState = null;
    expect((await call(s, 'withdraw', 'all')).json()).toEqual({
      txBase64: await everything(5_000_000n),
    });
  });

  it('writes a loss off when no collateral is left, with no reserve as well', async () => {
    const s = await openYield();
    t.chain.collateral.set(s.vaultPda, 0n);
    const amounts = { amount: 2n ** 64n - 1n, collateralAmount: 0n };
    const txBase64 = await t.chain.transactions.yieldWithdraw(
      s.owner.pubkey,
      SANDBOX_RESERVE,
      amounts,
    );
    expect((await call(s, 'withdraw', 'all')).json()).toEqual({ txBase64 });
    t.chain.reserveState = null;
    expect((await call(s, 'withdraw', 'all')).json()).toEqual({ txBase64 });
  });

  it('withdraws interest also when no principal is deployed, but not out of nothing', async () => {
    const s = await openYield();
    changeVault(t, s, { deployedAmount: 0n });
    expect((await call(s, 'withdraw', 'all')).statusCode).toBe(200);
    t.chain.collateral.set(s.vaultPda, 0n);
    expectRefused(await call(s, 'withdraw', 'all'), 409, 'nothing to withdraw');
  });

  it('gets 503 YIELD_DISABLED while yield is off', async () => {
    const s = await openYield();
    t.chain.yieldReserve = null;
    for (const verb of ['deposit', 'withdraw'] as const) {
      const detail = expect.any(String);
      expectRefused(await call(s, verb, 1), 503, 'YIELD_DISABLED', { detail });
    }
  });

  it('needs the cookie: a key is refused', async () => {
    const s = await openYield();
    expectRefused(await request(s, '/v1/wallet/yield/deposit', 1), 401, 'invalid jwt');
  });
});
