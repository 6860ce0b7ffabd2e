import { PublicKey } from '@solana/web3.js';
import { Client } from 'pg';
import { beforeAll, expect } from 'vitest';
import { z } from 'zod';
import type { HttpOwner, HttpSession } from '../../support/http/http-owner.ts';
import { readAccount, readTransaction } from '../chain-history.ts';
import { row } from '../row.ts';
import {
  asOwner,
  bearer,
  call,
  callOther,
  newAddress,
  newOwner,
  newRecipient,
  readPosition,
  readSession,
  transfer,
  world,
} from '../world.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const EXPIRY = 4_000_000_000n;

let owner: HttpOwner;
let session: HttpSession;
let recipients: readonly string[];
/** Unix seconds around the one transfer of 700 000. */
let spentBetween: readonly [number, number];
let signature: string;
let detail: Readonly<Record<string, unknown>>;
let account: Readonly<Record<string, unknown>> | null;
beforeAll(async () => {
  owner = await newOwner(5_000_000n);
  recipients = [await newRecipient(), newAddress()];
  session = await owner.createSession({
    recipients,
    maxPerTx: 1_000_000n,
    dailyCap: 2_000_000n,
    expiry: EXPIRY,
    allowedInstructions: 1,
  });
  const before = Math.floor(Date.now() / 1_000);
  const { body } = await transfer(session.apiKey, { recipient: recipients[0], amount: 700_000 });
  signature = String(body['tx_signature']);
  spentBetween = [before, Math.ceil(Date.now() / 1_000)];
  detail = await readSession(owner, session.sessionId);
  account = await readAccount('Session', session.sessionPda);
});

const readDailyCap = async (dailyCap: bigint): Promise<unknown> => {
  const one = await owner.createSession({ recipients: [], dailyCap, maxPerTx: 1n });
  return (await readSession(owner, one.sessionId))['daily_cap'];
};

row('session.session_id', () => {
  expect(session.sessionId).toMatch(UUID);
  expect(detail['session_id']).toBe(session.sessionId);
});

row('session.session_pda', () => {
  const seeds = [
    Buffer.from('session'),
    new PublicKey(owner.vault).toBytes(),
    new PublicKey(String(detail['session_pubkey'])).toBytes(),
  ];
  const [derived] = PublicKey.findProgramAddressSync(seeds, new PublicKey(world.programId));
  expect(session.sessionPda).toBe(derived.toBase58());
  expect(detail['session_pda']).toBe(derived.toBase58());
});

row('session.wallet_id', () => {
  expect(detail['wallet_id']).toBe(owner.walletId);
});

row('session.session_pubkey', async () => {
  expect(account).toMatchObject({ session_pubkey: detail['session_pubkey'] });
  const { signers } = await readTransaction(signature);
  // The other one pays the fee.
  expect(signers.slice(1)).toEqual([detail['session_pubkey']]);
});

row('session.max_per_tx', () => {
  expect(detail['max_per_tx']).toBe(1_000_000);
  expect(account).toMatchObject({ max_per_tx: 1_000_000n });
});

row('session.daily_cap', () => {
  expect(detail['daily_cap']).toBe(2_000_000);
  expect(account).toMatchObject({ daily_cap: 2_000_000n });
});

row('session.daily_spent', () => {
  expect(detail['daily_spent']).toBe(700_000);
  expect(account).toMatchObject({ daily_spent: 700_000n });
});

row('session.daily_window_start', () => {
  const hours = spentBetween.map((seconds) => seconds - (seconds % 3_600));
  // As answered, of the oldest hour that counts; on chain, as of the last spend.
  expect(hours).toContain(detail['daily_window_start']);
  const start = Number(detail['daily_window_start']);
  expect(account).toMatchObject({ daily_window_start: BigInt(start - 86_400) });
});

row('session.expiry', () => {
  expect(detail['expiry']).toBe(Number(EXPIRY));
  expect(account).toMatchObject({ expiry: EXPIRY });
});

row('session.allowed_recipients', () => {
  expect(detail['allowed_recipients']).toEqual(recipients);
  const onChain = z.object({ recipients: z.array(z.string()), recipients_count: z.int() });
  const read = onChain.parse(account);
  expect(read.recipients).toHaveLength(10);
  expect(read.recipients.slice(0, read.recipients_count)).toEqual(recipients);
});

row('session.allowed_instructions', () => {
  expect(detail['allowed_instructions']).toBe(1);
  expect(account).toMatchObject({ allowed_instructions: 1 });
});

row('session.api_key', async () => {
  expect((await readPosition(session.apiKey)).status).toBe(200);
});

row('session.api_key.once', async () => {
  const path = `/v1/session/${session.sessionId}`;
  const answers = await Promise.all(
    [path, '/v1/session', '/v1/wallet', '/v1/audit'].map((one) => asOwner(owner, 'GET', one)),
  );
  for (const { status, body } of answers) {
    expect(status).toBe(200);
    expect(JSON.stringify(body)).not.toContain(session.apiKey);
    expect(JSON.stringify(body)).not.toContain('"api_key"');
  }
});

row('session.api_key.hashed', async () => {
  const client = new Client({ connectionString: world.databaseUrl });
  await client.connect();
  try {
    const tables = await client.query<{ name: string }>(`
      select format('%I.%I', schemaname, tablename) as name from pg_tables
      where schemaname not in ('pg_catalog', 'information_schema')`);
    const secret = session.apiKey.slice('svc_dev_'.length);
    const found: string[] = [];
    for (const { name } of tables.rows) {
      const rows = await client.query(`select 1 from ${name} as t where t::text like $1`, [
        `%${secret}%`,
      ]);
      if (rows.rowCount !== 0) found.push(name);
    }
    expect(tables.rows.map(({ name }) => name)).toContain('public.api_key');
    expect(found).toEqual([]);
  } finally {
    await client.end();
  }
});

row('session.api_key.rotates', async () => {
  const one = await owner.createSession({ recipients: [] });
  const rotated = await asOwner(owner, 'POST', `/v1/session/${one.sessionId}/rotate-key`);
  const apiKey = String(rotated.body['api_key']);
  expect(apiKey).not.toBe(one.apiKey);
  expect((await readPosition(apiKey)).status).toBe(200);
  expect((await readPosition(one.apiKey)).status).toBe(401);
});

row('session.bit.transfer', async () => {
  const [recipient = ''] = recipients;
  const [without, withIt] = [
    await owner.createSession({ recipients: [recipient], allowedInstructions: 6 }),
    await owner.createSession({ recipients: [recipient], allowedInstructions: 1 }),
  ];
  const refused = await transfer(without.apiKey, { recipient, amount: 1 });
  expect(refused.body['detail']).toMatch(/InstructionNotAllowed/);
  expect((await transfer(withIt.apiKey, { recipient, amount: 1 })).status).toBe(200);
});

row('session.agents-cannot-read', async () => {
  const headers = bearer(session.apiKey);
  for (const path of ['/v1/session', `/v1/session/${session.sessionId}`, '/v1/wallet']) {
    expect((await call('GET', path, { headers })).status).toBe(401);
  }
  const limits = await callOther('api-plain', 'GET', '/v1/agent/limits', { headers });
  expect(limits.status).toBe(404);
});

row('amounts.above-2-53', async () => {
  expect(await readDailyCap(2n ** 53n)).toBe(9_007_199_254_740_992);
  expect(await readDailyCap(2n ** 53n + 1n)).toBe('9007199254740993');
  expect(await readDailyCap(2n ** 64n - 1n)).toBe('18446744073709551615');
});
