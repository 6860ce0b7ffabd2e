import { EVERYTHING } from '@agent-wallet/chain';
import { sql } from 'slonik';
import { describe, expect, it } from 'vitest';
import { PROGRAM_ID, sessionState, USDC_MINT } from '../fixtures/fake-chain.ts';
import { messageOf, readInstructions } from '../fixtures/owner-transaction.ts';
import { addSessionKey, openSession, type Session } from '../fixtures/open-session.ts';
import { newAddress, signIn } from '../fixtures/signed-in-owner.ts';
import { expectRefused, useTestApp } from '../fixtures/test-app.ts';

const t = await useTestApp();

type Method = 'POST' | 'PUT' | 'PATCH';
/** Every endpoint of this file with a body that it takes. */
const CALLS = (id: string): [Method, string, object][] => [
  ['PUT', `/v1/session/${id}/recipients`, { allowed_recipients: [] }],
  ['PATCH', `/v1/session/${id}`, { max_per_tx: 1 }],
  ['POST', '/v1/wallet/max-deployed-fraction', { max_deployed_fraction_bp: 1 }],
  ['POST', '/v1/wallet/pause', {}],
  ['POST', '/v1/wallet/withdraw', { amount: 1 }],
];
const NOBODY = '00000000-0000-4000-8000-000000000000';

/** The instruction of the returned transaction, which must be the owner's to sign. */
async function request(s: Session, method: Method, url: string, body?: object) {
  const answer = await s.owner.call(method, url, body);
  expect([answer.statusCode, answer.json()]).toEqual([200, { txBase64: expect.any(String) }]);
  const message = messageOf(answer.json<{ txBase64: string }>().txBase64, s.owner.pubkey);
  return readInstructions(message);
}

const put = (s: Session, recipients: unknown) =>
  s.owner.call('PUT', `/v1/session/${s.sessionId}/recipients`, { allowed_recipients: recipients });

/** A text that begins with this one. */
const startingWith = (text: string) =>
  new RegExp(`^${text.replaceAll(/[[\](){}.*+?$|^\\]/g, String.raw`\$&`)}`);

describe('PUT /v1/session/:id/recipients', () => {
  it('returns a transaction that replaces the recipients', async () => {
    const s = await openSession(t);
    const recipients = [newAddress(), PROGRAM_ID];
    const [instruction] = await request(s, 'PUT', `/v1/session/${s.sessionId}/recipients`, {
      allowed_recipients: recipients,
    });
    expect(instruction).toMatchObject({ name: 'update_session_allowlist', args: { recipients } });
    expect(instruction?.accounts).toContain(s.sessionPda);
  });

  it('accepts none, and ten', async () => {
    const s = await openSession(t);
    for (const recipients of [[], Array.from({ length: 10 }, newAddress)]) {
      expect((await put(s, recipients)).statusCode).toBe(200);
    }
  });

  it.each([
    ['no list', undefined, 'allowed_recipients must be an array'],
    ['text', 'x', 'allowed_recipients must be an array'],
    ['an invalid address', ['x'], 'allowed_recipients[0] must be'],
    ['the same twice', [PROGRAM_ID, PROGRAM_ID], 'allowed_recipients must not hold the same'],
    ['eleven', Array.from({ length: 11 }, newAddress), 'allowed_recipients must hold at most 10'],
    ['the mint', [USDC_MINT], 'allowed_recipients[0] must be a wallet address, not the USDC mint'],
  ])('refuses %s', async (_, recipients, text) => {
    const answer = await put(await openSession(t), recipients);
    expectRefused(answer, 400, startingWith(text), { code: 'BAD_REQUEST' });
  });

  it('refuses the vault, its accounts, token accounts and session keys', async () => {
    const s = await openSession(t);
    const { vaultPda, vaultUsdcAta, yieldPda } = t.chain.addressesOf(s.owner.pubkey);
    const tokenAccount = newAddress();
    t.chain.tokenAccounts.add(tokenAccount);
    const row = await t.db.oneFirst(sql.unsafe`
      select session_pubkey from session where session_id = ${s.sessionId}::uuid
    `);
    const freeKey = await addSessionKey(t);
    for (const recipient of [vaultPda, vaultUsdcAta, yieldPda, tokenAccount, row, freeKey]) {
      const answer = await put(s, [newAddress(), recipient]);
      expectRefused(answer, 400, /^allowed_recipients\[1\] must be a wallet address, not /);
    }
  });
});

describe('PATCH /v1/session/:id', () => {
  const current = { maxPerTx: 5n, dailyCap: 2n ** 64n - 1n, expiry: 4_000_000_000n };

  it.each([
    [{ max_per_tx: 7 }, { max_per_tx: '7' }],
    [{ daily_cap: '8' }, { daily_cap: '8' }],
    [{ expiry: 4_100_000_000 }, { expiry: '4100000000' }],
    [{ allowed_instructions: 0 }, { allowed_instructions: 0 }],
    [
      { max_per_tx: 1, daily_cap: 2, expiry: 4_100_000_000, allowed_instructions: 7 },
      { max_per_tx: '1', daily_cap: '2', expiry: '4100000000', allowed_instructions: 7 },
    ],
  ])('merges %j with the current limits on chain', async (body, changed) => {
    const s = await openSession(t);
    t.chain.sessions.set(s.sessionPda, sessionState({ ...current, allowedInstructions: 3 }));
    const [instruction] = await request(s, 'PATCH', `/v1/session/${s.sessionId}`, body);
    expect(instruction).toMatchObject({
      name: 'update_session_limits',
      args: {
        max_per_tx: '5',
        daily_cap: '18446744073709551615',
        expiry: '4000000000',
        allowed_instructions: 3,
        ...changed,
      },
    });
    expect(instruction?.accounts).toContain(s.sessionPda);
  });

  it('requires a new expiry for an expired session', async () => {
    const s = await openSession(t);
    t.chain.sessions.set(s.sessionPda, sessionState({ expiry: 1n }));
    const url = `/v1/session/${s.sessionId}`;
    const rest = { code: 'SESSION_EXPIRED', remedy: 'send a new expiry with the change' };
    expectRefused(
      await s.owner.call('PATCH', url, { max_per_tx: 1 }),
      409,
      'session expired',
      rest,
    );
    const [instruction] = await request(s, 'PATCH', url, { expiry: 4_000_000_000 });
    expect(instruction?.name).toBe('update_session_limits');
  });

  it.each([
    [{}, 'body must name one of max_per_tx, daily_cap, expiry and allowed_instructions'],
    [{ allowed_recipients: [] }, 'body must name one of'],
    [{ max_per_tx: 0 }, 'max_per_tx must be a positive number in base units'],
    [{ daily_cap: '18446744073709551616' }, 'daily_cap must be a positive number in base units'],
    [{ expiry: 1 }, 'expiry must be in the future'],
    [{ expiry: 4_000_000_000_000 }, 'expiry must be an integer in unix seconds; this value looks'],
    [{ allowed_instructions: 8 }, 'allowed_instructions must be a sum of'],
  ])('refuses %j with 400', async (body, text) => {
    const s = await openSession(t);
    const answer = await s.owner.call('PATCH', `/v1/session/${s.sessionId}`, body);
    expectRefused(answer, 400, startingWith(text));
  });
});

describe('POST /v1/wallet/max-deployed-fraction', () => {
  it.each([0, 8_000, 10_000])('returns a transaction for %i basis points', async (bp) => {
    const s = await openSession(t);
    const url = '/v1/wallet/max-deployed-fraction';
    const [instruction] = await request(s, 'POST', url, { max_deployed_fraction_bp: bp });
    expect(instruction).toMatchObject({
      name: 'set_max_deployed_fraction',
      args: { max_deployed_fraction_bp: bp },
    });
  });

  it.each([{}, { max_deployed_fraction_bp: -1 }, { max_deployed_fraction_bp: 10_001 }])(
    'refuses %j with 400',
    async (body) => {
      const s = await openSession(t);
      const answer = await s.owner.call('POST', '/v1/wallet/max-deployed-fraction', body);
      expectRefused(answer, 400, /^max_deployed_fraction_bp must be an integer from 0 to 10000/);
    },
  );
});

describe('POST /v1/wallet/pause', () => {
  it.each([
    [undefined, true],
    [{}, true],
    [{ paused: true }, true],
    [{ paused: false }, false],
  ])('with %j sets paused to %s', async (body, paused) => {
    const s = await openSession(t);
    const [instruction] = await request(s, 'POST', '/v1/wallet/pause', body);
    expect(instruction).toMatchObject({ name: 'set_paused', args: { paused } });
  });

  it('refuses any other value', async () => {
    const { owner } = await openSession(t);
    const answer = await owner.call('POST', '/v1/wallet/pause', { paused: 'no' });
    expectRefused(answer, 400, 'paused must be true or false');
  });
});

describe('POST /v1/wallet/withdraw', () => {
  const url = '/v1/wallet/withdraw';

  it.each([
    [1, '1'],
    ['10000000', '10000000'],
    ['all', EVERYTHING.toString()],
  ])(
    "with amount %j pays to the owner's own account, made where it is missing",
    async (amount, raw) => {
      const s = await openSession(t, 10_000_000n);
      const answer = await s.owner.call('POST', url, { amount });
      const message = messageOf(answer.json<{ txBase64: string }>().txBase64, s.owner.pubkey);
      const [instruction] = readInstructions(message);
      const { ownerUsdcAta } = t.chain.addressesOf(s.owner.pubkey);
      expect(instruction).toMatchObject({ name: 'owner_withdraw', args: { amount: raw } });
      expect(instruction?.accounts).toContain(ownerUsdcAta);
      const programs = message.compiledInstructions.map(({ programIdIndex }) =>
        message.accountKeys[programIdIndex]?.toBase58(),
      );
      expect(programs).toEqual(['ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL', PROGRAM_ID]);
    },
  );

  it('pays to another USDC account of the owner, which must exist', async () => {
    const s = await openSession(t);
    const destination = newAddress();
    t.chain.usdcAccounts.set(destination, s.owner.pubkey);
    const instructions = await request(s, 'POST', url, { amount: 1, destination });
    expect(instructions[0]?.accounts).toContain(destination);
    const own = t.chain.addressesOf(s.owner.pubkey).ownerUsdcAta;
    expect(await request(s, 'POST', url, { amount: 1, destination: own })).toHaveLength(1);
  });

  it('refuses accounts of others and addresses without an account', async () => {
    const s = await openSession(t);
    const foreign = newAddress();
    t.chain.usdcAccounts.set(foreign, newAddress());
    const { vaultUsdcAta } = t.chain.addressesOf(s.owner.pubkey);
    for (const destination of [foreign, newAddress(), s.owner.pubkey, vaultUsdcAta]) {
      const answer = await s.owner.call('POST', url, { amount: 1, destination });
      expectRefused(answer, 400, 'destination must be a USDC token account of the owner');
    }
  });

  it('returns 402 above the liquid amount, and 409 where there is nothing', async () => {
    const s = await openSession(t, 7n);
    const above = await s.owner.call('POST', url, { amount: 8 });
    expectRefused(above, 402, 'INSUFFICIENT_LIQUID', { liquid: 7, amount: 8, deficit: 1 });
    t.chain.liquid.clear();
    const nothing = await s.owner.call('POST', url, { amount: 'all' });
    expectRefused(nothing, 409, 'nothing to withdraw');
  });

  it.each([
    [{}, 'amount must be a positive number in base units, or "all"'],
    [{ amount: 0 }, 'amount must be a positive number in base units'],
    [{ amount: 'everything' }, 'amount must be a positive number in base units'],
    [{ amount: 1, destination: 'x' }, 'destination must be'],
    [{ amount: 1, destination: null }, 'destination must be'],
  ])('refuses %j with 400', async (body, text) => {
    const { owner } = await openSession(t);
    expectRefused(await owner.call('POST', url, body), 400, startingWith(text));
  });
});

describe('all of these endpoints', () => {
  it('return 404 for unknown sessions and sessions of others', async () => {
    const s = await openSession(t);
    const other = await openSession(t);
    for (const id of [NOBODY, s.sessionId, 'nonsense']) {
      for (const [method, url, body] of CALLS(id).slice(0, 2)) {
        expectRefused(await other.owner.call(method, url, body), 404, 'session not found');
      }
    }
  });

  it('return 404 without a wallet, 409 before its vault exists', async () => {
    const owner = await signIn(t);
    const walletCalls = CALLS(NOBODY).slice(2);
    for (const [method, url, body] of walletCalls) {
      const answer = await owner.call(method, url, body);
      expectRefused(answer, 404, 'wallet not found');
    }
    await owner.call('POST', '/v1/wallet', {});
    for (const [method, url, body] of walletCalls) {
      expectRefused(await owner.call(method, url, body), 409, 'wallet not active');
    }
  });

  it('return 409 for a session that is not on chain yet, or no longer', async () => {
    const s = await openSession(t);
    t.chain.sessions.delete(s.sessionPda);
    for (const [method, url, body] of CALLS(s.sessionId).slice(0, 2)) {
      const answer = await s.owner.call(method, url, body);
      expectRefused(answer, 409, 'session not live', { code: 'SESSION_NOT_LIVE' });
    }
    await t.db.query(sql.unsafe`
      update session set status = 'revoked' where session_id = ${s.sessionId}::uuid
    `);
    for (const [method, url, body] of CALLS(s.sessionId).slice(0, 2)) {
      expectRefused(await s.owner.call(method, url, body), 409, 'session already revoked');
    }
  });

  it('return 503 while the chain is unavailable or behind', async () => {
    const s = await openSession(t);
    t.chain.isDown = true;
    for (const [method, url, body] of CALLS(s.sessionId)) {
      const answer = await s.owner.call(method, url, body);
      expectRefused(answer, 503, 'rpc unavailable', { retryable: true });
    }
    t.chain.isDown = false;
    t.chain.sessions.delete(s.sessionPda);
    await t.db.query(sql.unsafe`
      update session set status = 'live', session_index = 0, live_slot = ${t.chain.slot + 1n}
      where session_id = ${s.sessionId}::uuid
    `);
    const [method, url, body] = CALLS(s.sessionId)[0] ?? ['PUT', '', {}];
    expect((await s.owner.call(method, url, body)).statusCode).toBe(503);
  });

  it("return 401 for an agent's key and without a cookie, 403 for a foreign page", async () => {
    const s = await openSession(t);
    for (const [method, url, body] of CALLS(s.sessionId)) {
      const call = (headers: Record<string, string>) =>
        t.app.inject({ method, url, payload: body, headers });
      expectRefused(await call({ authorization: `Bearer ${s.apiKey}` }), 401, 'invalid jwt');
      expectRefused(await call({}), 401, 'missing session cookie');
      expectRefused(
        await call({ cookie: s.owner.cookie, origin: 'https://evil.example' }),
        403,
        'origin not allowed',
      );
    }
  });
});
