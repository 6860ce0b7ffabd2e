import { AppError } from '@agent-wallet/errors';
import type { PublicKey } from '@solana/web3.js';
import { sql } from 'slonik';
import { describe, expect, it, vi } from 'vitest';
import { PROGRAM_ID, sessionState, USDC_MINT } from '../fixtures/fake-chain.ts';
import { messageOf } from '../fixtures/owner-transaction.ts';
import { addSessionKey, openSession, type Session } from '../fixtures/open-session.ts';
import { newAddress, type Owner, signIn } from '../fixtures/signed-in-owner.ts';
import { expectRefused, useTestApp } from '../fixtures/test-app.ts';

const t = await useTestApp();

const NOBODY = '00000000-0000-4000-8000-000000000000';

describe('POST /v1/wallet', () => {
  it('returns an unsigned transaction with the owner as fee payer', async () => {
    const owner = await signIn(t);
    const answer = await owner.call('POST', '/v1/wallet', { max_deployed_fraction_bp: 8000 });
    expect(answer.statusCode).toBe(200);
    const body = answer.json<Record<string, string>>();
    const { vaultPda, vaultUsdcAta } = t.chain.addressesOf(owner.pubkey);
    expect(body).toMatchObject({ vaultPda, vaultUsdcAta, wallet_id: expect.any(String) });
    const message = messageOf(body['txBase64'] ?? '');
    expect(message.accountKeys[0]?.toBase58()).toBe(owner.pubkey);
    expect(message.header.numRequiredSignatures).toBe(1);
  });

  it('returns the same wallet while it is pending, and 409 once the vault exists', async () => {
    const owner = await signIn(t);
    const first = await owner.call('POST', '/v1/wallet', {});
    const second = await owner.call('POST', '/v1/wallet', { max_deployed_fraction_bp: 5 });
    expect(second.json().wallet_id).toBe(first.json().wallet_id);
    t.chain.addVault(owner.pubkey, 0n);
    expectRefused(await owner.call('POST', '/v1/wallet', {}), 409, 'wallet already exists');
    const row = await t.db.oneFirst(sql.unsafe`
      select status from wallet where owner = ${owner.pubkey}
    `);
    expect(row).toBe('active');
  });

  it.each([-1, 10_001, 1.5, '8000', null])('refuses the fraction %j with 400', async (fraction) => {
    const owner = await signIn(t);
    const answer = await owner.call('POST', '/v1/wallet', { max_deployed_fraction_bp: fraction });
    expectRefused(answer, 400, /^max_deployed_fraction_bp must be an integer from 0/);
  });

  it('records nothing while the chain is unavailable', async () => {
    const owner = await signIn(t);
    t.chain.isDown = true;
    expectRefused(await owner.call('POST', '/v1/wallet', {}), 503, 'rpc unavailable');
    t.chain.isDown = false;
    expect((await owner.call('GET', '/v1/wallet')).statusCode).toBe(404);
  });

  it('records nothing while a transaction can be built and the chain cannot be read', async () => {
    const owner = await signIn(t);
    const fault = new AppError('RPC_UNAVAILABLE', { method: 'fake' });
    const read = vi.spyOn(t.chain, 'readWallet').mockRejectedValueOnce(fault);
    expectRefused(await owner.call('POST', '/v1/wallet', {}), 503, 'rpc unavailable');
    expect(read).toHaveBeenCalledOnce();
    read.mockRestore();
    expect((await owner.call('GET', '/v1/wallet')).statusCode).toBe(404);
  });
});

describe('GET /v1/wallet and /v1/fund/deposit-address', () => {
  it('merge the row with the state of the chain', async () => {
    const owner = await signIn(t);
    await owner.call('POST', '/v1/wallet', {});
    expect((await owner.call('GET', '/v1/wallet')).json()).toMatchObject({
      status: 'pending',
      liquid: 0,
      paused: false,
    });
    t.chain.addVault(owner.pubkey, 2n ** 53n + 1n);
    const { vaultPda, vaultUsdcAta } = t.chain.addressesOf(owner.pubkey);
    expect((await owner.call('GET', '/v1/wallet')).json()).toEqual({
      wallet_id: expect.any(String),
      owner: owner.pubkey,
      vaultPda,
      vaultUsdcAta,
      status: 'active',
      max_deployed_fraction_bp: 0,
      deployed_amount: 0,
      liquid: '9007199254740993',
      paused: false,
      policy: { url_allowlist: [], time_window: null },
      created_at: expect.any(String),
    });
    const deposit = await owner.call('GET', '/v1/fund/deposit-address');
    expect(deposit.json()).toEqual({ address: vaultUsdcAta, mint: USDC_MINT, cluster: 'devnet' });
  });

  it('return 404 before there is a wallet', async () => {
    const owner = await signIn(t);
    for (const url of ['/v1/wallet', '/v1/fund/deposit-address']) {
      expectRefused(await owner.call('GET', url), 404, 'wallet not found');
    }
  });
});

/** An owner with an active vault and a free session key, and a valid body. */
async function readyOwner(): Promise<{ owner: Owner; body: Record<string, unknown> }> {
  const owner = await signIn(t);
  const wallet = await owner.call('POST', '/v1/wallet', {});
  t.chain.addVault(owner.pubkey, 0n);
  await addSessionKey(t);
  const body = {
    wallet_id: wallet.json<{ wallet_id: string }>().wallet_id,
    max_per_tx: '18446744073709551615',
    daily_cap: 1,
    expiry: Math.floor(t.clock.nowMs / 1000) + 60,
    allowed_recipients: [newAddress(), PROGRAM_ID],
    allowed_instructions: 7,
  };
  return { owner, body };
}

describe('POST /v1/session', () => {
  it('returns a key once, and a transaction for the owner', async () => {
    const { owner, body } = await readyOwner();
    const answer = await owner.call('POST', '/v1/session', body);
    expect(answer.statusCode).toBe(200);
    const made = answer.json<Record<string, string>>();
    expect(made['api_key']).toMatch(/^svc_dev_/);
    const message = messageOf(made['txBase64'] ?? '');
    const keys = message.accountKeys.map((key: PublicKey) => key.toBase58());
    expect(keys[0]).toBe(owner.pubkey);
    expect(keys).toContain(made['session_pda']);
    const read = await owner.call('GET', `/v1/session/${made['session_id']}`);
    expect(read.json()).toMatchObject({
      session_id: made['session_id'],
      session_pubkey: made['session_pubkey'],
      session_index: null,
      status: 'awaiting_owner_signature',
      max_per_tx: '18446744073709551615',
      daily_remaining: 1,
      daily_resets_at: null,
      key_prefix: made['api_key']?.slice(0, 12),
    });
    expect(read.body).not.toContain(made['api_key']);
  });

  it.each([
    ['max_per_tx', 0],
    ['max_per_tx', 1.5],
    ['daily_cap', '18446744073709551616'],
    ['daily_cap', undefined],
    ['expiry', 1],
    ['expiry', 1_800_000_000_000],
    ['expiry', 1.5],
    ['expiry', '2000000000'],
    ['allowed_recipients', 'x'],
    ['allowed_recipients', ['x']],
    ['allowed_recipients', [PROGRAM_ID, PROGRAM_ID]],
    ['allowed_recipients', Array.from({ length: 11 }, newAddress)],
    ['allowed_recipients', [USDC_MINT]],
    ['allowed_instructions', 8],
    ['allowed_instructions', -1],
    ['allowed_instructions', '1'],
    ['wallet_id', 7],
  ])('refuses %s = %j with 400 and uses no key', async (field, value) => {
    const { owner, body } = await readyOwner();
    expectRefused(
      await owner.call('POST', '/v1/session', { ...body, [field]: value }),
      400,
      new RegExp(`^${field}`),
    );
    expect((await owner.call('GET', '/v1/session')).json()).toEqual({ items: [] });
  });

  it('names milliseconds as the likely mistake in an expiry', async () => {
    const { owner, body } = await readyOwner();
    const answer = await owner.call('POST', '/v1/session', { ...body, expiry: Date.now() });
    expect(answer.json().error).toContain('milliseconds');
  });

  it('refuses the vault, its accounts and other token accounts as recipients', async () => {
    const { owner, body } = await readyOwner();
    const { vaultPda, vaultUsdcAta, yieldPda } = t.chain.addressesOf(owner.pubkey);
    const tokenAccount = newAddress();
    t.chain.tokenAccounts.add(tokenAccount);
    for (const recipient of [vaultPda, vaultUsdcAta, yieldPda, tokenAccount]) {
      const wrong = { ...body, allowed_recipients: [newAddress(), recipient] };
      const answer = await owner.call('POST', '/v1/session', wrong);
      expectRefused(answer, 400, /^allowed_recipients\[1\] must be a wallet address/);
    }
  });

  it('returns 404 for an unknown wallet and a wallet of another owner', async () => {
    const { owner, body } = await readyOwner();
    const other = await readyOwner();
    for (const id of [NOBODY, 'nonsense', other.body['wallet_id']]) {
      expectRefused(
        await owner.call('POST', '/v1/session', { ...body, wallet_id: id }),
        404,
        'wallet not found',
      );
    }
  });

  it('returns 409 before the vault exists', async () => {
    const { owner, body } = await readyOwner();
    t.chain.vaults.clear();
    const answer = await owner.call('POST', '/v1/session', body);
    expectRefused(answer, 409, 'wallet not active');
  });

  it('assigns no key twice, and returns 503 when none is free', async () => {
    const { owner, body } = await readyOwner();
    await t.db.query(sql.unsafe`delete from session_key where session_id is null`);
    await addSessionKey(t);
    await addSessionKey(t);
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => owner.call('POST', '/v1/session', body)),
    );
    const statuses = answers.map((answer) => answer.statusCode).toSorted((a, b) => a - b);
    expect(statuses).toEqual([200, 200, 503, 503]);
    const refused = answers.find((answer) => answer.statusCode === 503);
    expect(refused?.json().error).toBe('session keys not ready');
    expect(refused?.headers['retry-after']).toBe('1');
    expect((await owner.call('GET', '/v1/session')).json().items).toHaveLength(2);
  });
});

const read = async (s: Session) =>
  (await s.owner.call('GET', `/v1/session/${s.sessionId}`)).json<Record<string, unknown>>();

describe('a session as its owner reads it', () => {
  it('follows the chain: live, then expired, then gone', async () => {
    const s = await openSession(t);
    const index = t.chain.sessions.get(s.sessionPda)?.index.toString();
    expect(await read(s)).toMatchObject({ status: 'live', session_index: index });
    t.chain.sessions.set(s.sessionPda, sessionState({ expiry: 1n }));
    expect((await read(s))['status']).toBe('expired');
    await t.db.query(sql.unsafe`
      update session set status = 'live', session_index = 18446744073709551615, live_slot = 10
      where session_id = ${s.sessionId}::uuid
    `);
    t.chain.sessions.delete(s.sessionPda);
    expect(await read(s)).toMatchObject({
      status: 'revoked',
      session_index: '18446744073709551615',
    });
  });

  it('has its window computed at now', async () => {
    const s = await openSession(t);
    const hour = BigInt(Math.floor(t.clock.nowMs / 3_600_000));
    const buckets = Array.from({ length: 25 }, () => 0n);
    buckets[Number(hour % 25n)] = 70n;
    buckets[Number((hour - 3n) % 25n)] = 30n;
    t.chain.sessions.set(
      s.sessionPda,
      sessionState({ dailyCap: 120n, window: { buckets, lastSeen: hour * 3600n } }),
    );
    expect(await read(s)).toMatchObject({
      daily_cap: 120,
      daily_spent: 100,
      daily_remaining: 20,
      daily_window_start: Number((hour - 3n) * 3600n),
      daily_resets_at: Number((hour + 22n) * 3600n),
      daily_spent_by_hour: [
        { hour: Number((hour - 3n) * 3600n), amount: 30 },
        { hour: Number(hour * 3600n), amount: 70 },
      ],
    });
  });

  it('returns 404 for unknown ids and sessions of others', async () => {
    const s = await openSession(t);
    const other = await signIn(t);
    for (const path of ['', '/rotate-key', '/revoke']) {
      for (const id of [NOBODY, s.sessionId, 'nonsense']) {
        expectRefused(
          await other.call(path === '' ? 'GET' : 'POST', `/v1/session/${id}${path}`),
          404,
          'session not found',
        );
      }
    }
  });

  it('returns a revoke transaction while it is live, 409 before and after', async () => {
    const s = await openSession(t);
    const state = t.chain.sessions.get(s.sessionPda);
    const revoke = () => s.owner.call('POST', `/v1/session/${s.sessionId}/revoke`);
    const { txBase64 } = (await revoke()).json<{ txBase64: string }>();
    expect(messageOf(txBase64).accountKeys[0]?.toBase58()).toBe(s.owner.pubkey);
    t.chain.sessions.delete(s.sessionPda);
    expect((await revoke()).json().error).toBe('session not live');
    if (state !== undefined) t.chain.sessions.set(s.sessionPda, state);
    await t.db.query(sql.unsafe`
      update session set status = 'revoked' where session_id = ${s.sessionId}::uuid
    `);
    expect((await revoke()).json().error).toBe('session already revoked');
  });
});
