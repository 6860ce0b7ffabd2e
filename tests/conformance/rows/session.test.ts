import { PublicKey } from '@solana/web3.js';
import { expect } from 'vitest';
import { z } from 'zod';
import { readAccount, readTransaction } from '../chain-history.ts';
import { row } from '../row.ts';
import {
  createUnsigned,
  itemsOf,
  newAddress,
  newOwner,
  newRecipient,
  ownerSends,
  refused,
  world,
} from '../world.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const BASE58 = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;
const LIMITS = {
  maxPerTx: 1_000_000n,
  dailyCap: 2_000_000n,
  expiry: 4_000_000_000n,
  allowedInstructions: 1,
};

const [owner, recipient] = await Promise.all([newOwner(5_000_000n), newRecipient()]);
const recipients = [recipient, newAddress()];
const agent = await owner.openAgent(recipients, LIMITS);
const beforeSpend = Math.floor(Date.now() / 1_000);
const signature = String((await agent.pay(700_000)).body['tx_signature']);
const afterSpend = Math.ceil(Date.now() / 1_000);
const detail = await owner.readSession(agent.sessionId);
const account = await readAccount('Session', agent.sessionPda);

row(
  [
    'session.wallet_id',
    'session.max_per_tx',
    'session.daily_cap',
    'session.daily_spent',
    'session.expiry',
    'session.allowed_instructions',
  ],
  () => {
    expect(detail).toMatchObject({
      wallet_id: owner.walletId,
      max_per_tx: 1_000_000,
      daily_cap: 2_000_000,
      daily_spent: 700_000,
      expiry: 4_000_000_000,
      allowed_instructions: 1,
    });
    expect(account).toMatchObject({
      max_per_tx: 1_000_000n,
      daily_cap: 2_000_000n,
      daily_spent: 700_000n,
      expiry: 4_000_000_000n,
      allowed_instructions: 1,
    });
  },
);

row('session.session_id', () => {
  expect(agent.sessionId).toMatch(UUID);
  expect(detail['session_id']).toBe(agent.sessionId);
});

row('session.session_pda', () => {
  const seeds = [
    Buffer.from('session'),
    new PublicKey(owner.vault).toBytes(),
    new PublicKey(String(detail['session_pubkey'])).toBytes(),
  ];
  const [derived] = PublicKey.findProgramAddressSync(seeds, new PublicKey(world.programId));
  expect([agent.sessionPda, detail['session_pda']]).toEqual(
    Array.from({ length: 2 }, () => derived.toBase58()),
  );
});

row('session.session_pubkey', async () => {
  expect(account).toMatchObject({ session_pubkey: detail['session_pubkey'] });
  // The first signer pays the fee.
  const { signers } = await readTransaction(signature);
  expect(signers.slice(1)).toEqual([detail['session_pubkey']]);
});

row('session.daily_window_start', () => {
  const hours = [beforeSpend, afterSpend].map((seconds) => seconds - (seconds % 3_600));
  // The api returns the oldest hour that counts; the chain stores it as of the last spend.
  expect(hours).toContain(detail['daily_window_start']);
  const start = Number(detail['daily_window_start']);
  expect(account).toMatchObject({ daily_window_start: BigInt(start - 86_400) });
});

row('session.allowed_recipients', () => {
  expect(detail['allowed_recipients']).toEqual(recipients);
  const onChain = z.object({ recipients: z.array(z.string()), recipients_count: z.int() });
  const read = onChain.parse(account);
  expect(read.recipients).toHaveLength(10);
  expect(read.recipients.slice(0, read.recipients_count)).toEqual(recipients);
});

const createWith = (max_per_tx: unknown, daily_cap: unknown) =>
  createUnsigned(owner, { max_per_tx, daily_cap });

row(['amounts.above-2-53', 'open.session.amounts'], async () => {
  for (const [dailyCap, read] of [
    [2n ** 53n, 9_007_199_254_740_992],
    [2n ** 53n + 1n, '9007199254740993'],
    [2n ** 64n - 1n, '18446744073709551615'],
  ] as const) {
    const { body } = await createWith(1, String(dailyCap));
    await ownerSends(owner.keypair, String(body['txBase64']));
    expect((await owner.readSession(String(body['session_id'])))['daily_cap']).toBe(read);
  }
  const largest = (2n ** 64n - 1n).toString();
  expect((await createWith(largest, largest)).status).toBe(200);
  expect((await createWith(2, 1)).status).toBe(200);
  for (const value of [0, -1, (2n ** 64n).toString()]) {
    expect(await createWith(value, 1)).toMatchObject(refused(400, /^max_per_tx must be/));
    expect(await createWith(1, value)).toMatchObject(refused(400, /^daily_cap must be/));
  }
});

row('open.bits', async () => {
  for (const bits of [0, 1, 2, 4, 7]) {
    expect((await createUnsigned(owner, { allowed_instructions: bits })).status).toBe(200);
  }
  for (const bits of [8, 9, -1, 0.5, '1']) {
    const answer = await createUnsigned(owner, { allowed_instructions: bits });
    expect(answer).toMatchObject(refused(400, /^allowed_instructions /));
  }
});

const createUntil = (expiry: number) => createUnsigned(owner, { expiry });

row('open.expiry-unit', async () => {
  const now = Math.floor(Date.now() / 1_000);
  expect((await createUntil(now + 3_600)).status).toBe(200);
  expect(await createUntil(now - 1)).toMatchObject(refused(400, /^expiry must be in the future/));
  const inMs = await createUntil(Date.now() + 3_600_000);
  expect(inMs).toMatchObject(refused(400, /^expiry .*milliseconds/));
});

const FIELDS = [
  'allowed_instructions',
  'allowed_recipients',
  'created_at',
  'daily_cap',
  'daily_remaining',
  'daily_resets_at',
  'daily_spent',
  'daily_spent_by_hour',
  'daily_window_start',
  'expiry',
  'key_prefix',
  'max_per_tx',
  'session_id',
  'session_index',
  'session_pda',
  'session_pubkey',
  'status',
  'wallet_id',
];

row(['open.session.detail', 'open.session.list'], async () => {
  expect(Object.keys(detail).toSorted()).toEqual(FIELDS);
  const prefix = String(detail['key_prefix']);
  expect(agent.apiKey.startsWith(prefix)).toBe(true);
  expect(prefix.length).toBeLessThan(agent.apiKey.length / 2);
  const listed = itemsOf((await owner.call('GET', '/v1/session')).body);
  expect(listed.find((item) => item['session_id'] === agent.sessionId)).toEqual(
    await owner.readSession(agent.sessionId),
  );
});

row('open.session.daily', async () => {
  const one = await owner.openAgent(recipient, { dailyCap: 1_000n });
  const createdAt = Math.floor(Date.now() / 1_000);
  const fresh = await owner.readSession(one.sessionId);
  expect(fresh).toMatchObject({ daily_spent: 0, daily_remaining: 1_000, daily_resets_at: null });
  expect(Number(fresh['daily_window_start'])).toBeGreaterThanOrEqual(createdAt - 86_401);
  expect(Number(fresh['daily_window_start'])).toBeLessThanOrEqual(createdAt - 86_390);
  await one.pay(400);
  const spent = await owner.readSession(one.sessionId);
  expect(spent).toMatchObject({ daily_spent: 400, daily_remaining: 600 });
  // The hour of the spend drops out as a whole, a day after its end.
  expect(spent['daily_resets_at']).toBe(Number(spent['daily_window_start']) + 90_000);
});

row('open.session.blast-radius', async () => {
  const fresh = await newOwner(1_000n);
  const one = await fresh.openAgent(recipient, { maxPerTx: 1n, dailyCap: 900n });
  await fresh.openAgent(recipient, { maxPerTx: 1n, dailyCap: 800n });
  const ofOne = await fresh.call('GET', `/v1/session/${one.sessionId}/blast-radius`);
  expect(ofOne).toMatchObject({
    status: 200,
    body: { by_limits: { now: '900', within_24h: '900' }, of_holdings: { now: '900' } },
  });
  expect(await fresh.call('GET', '/v1/wallet/blast-radius')).toMatchObject({
    status: 200,
    body: { live_sessions: 2, by_limits: { now: '1700' }, of_holdings: { now: '1000' } },
  });
});

row(['limits.recipients', 'limits.transaction-size'], async () => {
  const addresses = Array.from({ length: 11 }, newAddress);
  const ten = await createUnsigned(owner, { allowed_recipients: addresses.slice(0, 10) });
  expect(ten.status).toBe(200);
  const largest = await ownerSends(owner.keypair, String(ten.body['txBase64']));
  for (const one of [largest, signature]) {
    expect((await readTransaction(one)).bytes).toBeLessThanOrEqual(1_232);
  }
  const eleven = await createUnsigned(owner, { allowed_recipients: addresses });
  expect(eleven).toMatchObject(refused(400, /^allowed_recipients .*10/));
});

row(['endpoints.session-create', 'states.session.created'], async () => {
  const { status, body } = await createUnsigned(owner, { allowed_recipients: [recipient] });
  expect(status).toBe(200);
  expect(body).toMatchObject({
    session_id: expect.stringMatching(UUID),
    session_pda: expect.stringMatching(BASE58),
    api_key: expect.stringMatching(/^svc_dev_/),
    txBase64: expect.stringMatching(/^[A-Za-z0-9+/]+=*$/),
  });
  expect(await readAccount('Session', String(body['session_pda']))).toBeNull();
  const read = await owner.readSession(String(body['session_id']));
  expect(read['status']).toBe('awaiting_owner_signature');
});
