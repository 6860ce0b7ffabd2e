import { createOwnerTransactions, createWalletProgram } from '@agent-wallet/chain';
import { Keypair } from '@solana/web3.js';
import { beforeEach, describe, expect, it } from 'vitest';
import { newSigner, type OwnerScript, scriptOwner } from '../../fixtures/scripted-owner.ts';
import { reply } from '../../fixtures/scripted-api.ts';
import { DEVNET } from './transaction/addresses.ts';

const NOW_MS = 1_800_000_000_000;
const RPC = 'https://rpc.example.com/';
const SESSION_ID = '0190a1b2-c3d4-4e5f-8a6b-7c8d9e0f1a2b';
const NONCE = 'ab'.repeat(16);

const fresh = (): string => Keypair.generate().publicKey.toBase58();
const signer = newSigner();
const owner = signer.address;
const program = createWalletProgram(DEVNET);
const vault = program.addresses.vaultPda(owner);
const sessionPubkey = fresh();
const recipient = fresh();
const sessionOf = (key: string, sessionIndex: bigint) => ({
  sessionPda: program.addresses.sessionPda(vault, key),
  sessionIndex,
});
const transactions = createOwnerTransactions(
  program,
  async () => ({ blockhash: fresh() }),
  () => NOW_MS,
);
const limits = { max_per_tx: 5n, daily_cap: 9n, expiry: 1_900_000_000, allowed_instructions: 1 };
const chainLimits = { maxPerTx: 5n, dailyCap: 9n, expiry: 1_900_000_000n, allowedInstructions: 1 };
const request = { ...limits, wallet_id: 'wallet', allowed_recipients: [recipient] };
const session = { session_id: SESSION_ID, session_pubkey: sessionPubkey };

const script = (replies: OwnerScript, rpcUrl?: string) =>
  scriptOwner(signer, replies, {
    timeOfDayMs: NOW_MS,
    ...(rpcUrl === undefined ? {} : { rpcUrl }),
  });

beforeEach(() => void signer.signed.splice(0));

const transaction = (txBase64: Promise<string>) => async () =>
  reply(200, { txBase64: await txBase64 });

const created = (index: bigint) => async () =>
  reply(200, {
    session_id: SESSION_ID,
    session_pda: fresh(),
    session_pubkey: sessionPubkey,
    api_key: 'svc_dev_key',
    txBase64: await transactions.addSession(
      owner,
      { ...chainLimits, sessionPubkey, recipients: [recipient] },
      index,
    ),
  });

const signedIn = () =>
  reply(
    200,
    { pubkey: owner, expires_at: '2027-01-15T20:00:00.000Z' },
    { 'set-cookie': 'svc_session=token; Path=/; HttpOnly' },
  );

describe('signing in', () => {
  const message = (text: string) => () =>
    reply(200, { nonce: NONCE, message: text, expires_at: '2027-01-15T08:00:00.000Z' });
  const text = (statement: string) =>
    `wallet.example.com wants you to sign in with your Solana account:\n{pubkey}\n\n${statement}\n\nURI: https://wallet.example.com\nVersion: 1\nChain ID: devnet\nNonce: ${NONCE}`;

  it('keeps the cookie until the owner signs out, and sends it to the API alone', async () => {
    const { client, sent } = script(
      {
        'POST /v1/auth/siws/nonce': [message(text('Sign in.'))],
        'POST /v1/auth/siws': [signedIn],
        'GET /v1/session': [() => reply(200, { items: [] })],
        'POST /v1/session': [created(0n)],
        'POST /v1/auth/logout': [
          () => reply(200, { signed_out: true }, { 'set-cookie': 'svc_session=; Path=/' }),
        ],
        getAccountInfo: [() => nextIndex(0n)],
      },
      RPC,
    );
    await client.signIn();
    await client.createSession(request);
    await client.signOut();
    await client.sessions();
    expect(sent.map(({ operation, cookie }) => [operation, cookie])).toEqual([
      ['POST /v1/auth/siws/nonce', null],
      ['POST /v1/auth/siws', null],
      ['POST /v1/session', 'svc_session=token'],
      ['getAccountInfo', null],
      ['POST /v1/auth/logout', 'svc_session=token'],
      ['GET /v1/session', null],
    ]);
  });

  it.each([
    ['of another owner', text('Sign in.').replace('{pubkey}', fresh())],
    ['with another nonce', text('Sign in.').replace(NONCE, 'cd'.repeat(16))],
    ['with bytes that a transaction can have', text('\u0001\u0000')],
    ['for two sites', text('Sign in.').replace('URI: https://wallet', 'URI: https://other')],
    ['with more after it', `${text('Sign in.')}\nResources: all`],
  ])('does not sign a text %s', async (_, given) => {
    const { client } = script({ 'POST /v1/auth/siws/nonce': [message(given)] });
    await expect(client.signIn()).rejects.toMatchObject({ code: 'SIGN_IN_MISMATCH' });
    expect(signer.signed).toEqual([]);
  });

  const forSite = (site: string) =>
    scriptOwner(
      signer,
      {
        'POST /v1/auth/siws/nonce': [message(text('Sign in.'))],
        'POST /v1/auth/siws': [signedIn],
      },
      { timeOfDayMs: NOW_MS, site },
    ).client;

  it('signs a text for the site of the owner', async () => {
    await forSite('wallet.example.com').signIn();
    expect(signer.signed).toHaveLength(1);
  });

  it.each(['example.com', 'wallet.example.com:8443', 'other.example.com'])(
    'does not sign a text for another site than %s',
    async (site) => {
      await expect(forSite(site).signIn()).rejects.toMatchObject({
        code: 'SIGN_IN_MISMATCH',
        error: `the text to sign is a sign-in at wallet.example.com, expected ${site}`,
      });
      expect(signer.signed).toEqual([]);
    },
  );
});

/** A vault's account as an RPC node returns it, with this `next_session_index`. */
function nextIndex(index: bigint): Response {
  const data = Buffer.alloc(112);
  data.writeBigUInt64LE(index, 24);
  return reply(200, { result: { value: { data: [data.toString('base64'), 'base64'] } } });
}

describe('a transaction for the owner', () => {
  const LIMITS = `PATCH /v1/session/${SESSION_ID}`;

  it('is signed when it does what was asked', async () => {
    const tx = transactions.updateLimits(owner, sessionOf(sessionPubkey, 3n), chainLimits);
    const { client, sent } = script({ [LIMITS]: [transaction(tx)] });
    const checked = await client.changeLimits({ ...session, session_index: 3n }, limits);
    expect(sent[0]?.body).toEqual({ ...limits, max_per_tx: '5', daily_cap: '9' });
    expect(signer.signed).toEqual([]);
    const signed = await checked.sign();
    expect(signer.signed).toEqual([checked.bytes.subarray(65)]);
    expect(Buffer.from(checked.bytes).toString('base64')).toBe(await tx);
    expect(signed.subarray(65)).toEqual(checked.bytes.subarray(65));
  });

  it.each([
    [
      'other limits',
      transactions.updateLimits(owner, sessionOf(sessionPubkey, 3n), {
        ...chainLimits,
        dailyCap: 10n,
      }),
      'update_session_limits: daily_cap',
    ],
    [
      'another session',
      transactions.updateLimits(owner, sessionOf(fresh(), 3n), chainLimits),
      'update_session_limits: account session',
    ],
    [
      'a later session of the same key',
      transactions.updateLimits(owner, sessionOf(sessionPubkey, 4n), chainLimits),
      'update_session_limits: session_index',
    ],
    [
      'a withdrawal',
      transactions.withdraw(owner, 1n, fresh()),
      'update_session_limits: discriminator',
    ],
  ])('does not reach the signer with %s', async (_, tx, place) => {
    const { client } = script({ [LIMITS]: [transaction(tx)] });
    const call = client.changeLimits({ ...session, session_index: 3n }, limits);
    await expect(call).rejects.toMatchObject({ code: 'TRANSACTION_MISMATCH', detail: place });
    expect(signer.signed).toEqual([]);
  });

  it('resumes only when the owner resumes', async () => {
    const pause = transaction(transactions.setPaused(owner, true));
    const { client } = script({ 'POST /v1/wallet/pause': [pause] });
    await expect(client.pause()).resolves.toMatchObject({
      instructions: [{ name: 'set_paused', args: { paused: true } }],
    });
    await expect(client.resume()).rejects.toMatchObject({ code: 'TRANSACTION_MISMATCH' });
  });
});

describe('a new session', () => {
  it('has the key and the index that it was created with', async () => {
    const { client, sent } = script({ 'POST /v1/session': [created(65_537n)] });
    await expect(client.createSession(request)).resolves.toMatchObject({
      session_pda: program.addresses.sessionPda(vault, sessionPubkey),
      session_index: 65_537n,
      api_key: 'svc_dev_key',
    });
    expect(sent[0]?.headers.get('idempotency-key')).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('waits for a node that is behind, and is refused with an index later than the next', async () => {
    const replies = {
      'POST /v1/session': [created(5n)],
      getAccountInfo: [() => nextIndex(3n), () => reply(503, null), () => nextIndex(5n)],
    };
    await expect(script(replies, RPC).client.createSession(request)).resolves.toMatchObject({
      session_index: 5n,
    });
    const later = { ...replies, getAccountInfo: [() => nextIndex(4n)] };
    await expect(script(later, RPC).client.createSession(request)).rejects.toMatchObject({
      code: 'TRANSACTION_MISMATCH',
      detail: 'add_session: session_index',
    });
  });

  it('of a repeated request has neither key nor, once on chain, a transaction', async () => {
    const again = {
      session_id: SESSION_ID,
      session_pda: fresh(),
      session_pubkey: sessionPubkey,
      api_key: null,
      txBase64: null,
    };
    const { client } = script({ 'POST /v1/session': [() => reply(200, again)] });
    const repeated = await client.createSession(request, { idempotencyKey: 'agent-7' });
    expect(repeated).toMatchObject({ api_key: null, transaction: null, session_index: null });
  });
});

const deposit = (fields: object) => () =>
  reply(200, {
    address: program.addresses.usdcAta(vault),
    mint: DEVNET.usdcMint,
    cluster: 'devnet',
    ...fields,
  });

describe('addresses of the API', () => {
  it('are compared with the derived ones', async () => {
    const path = 'GET /v1/fund/deposit-address';
    await expect(script({ [path]: [deposit({})] }).client.depositAddress()).resolves.toMatchObject({
      address: program.addresses.usdcAta(vault),
    });
    for (const other of [{ address: fresh() }, { mint: fresh() }]) {
      const { client } = script({ [path]: [deposit(other)] });
      await expect(client.depositAddress()).rejects.toMatchObject({ code: 'ADDRESS_MISMATCH' });
    }
  });
});
