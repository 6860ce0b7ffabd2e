import { Keypair, PublicKey } from '@solana/web3.js';
import { beforeAll, expect } from 'vitest';
import { type HttpOwner, type HttpSession, signIn } from '../../support/http/http-owner.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { readMintDecimals, readTransaction } from '../chain-history.ts';
import { row } from '../row.ts';
import {
  asOwner,
  call,
  chain,
  createUnsigned,
  faucet,
  newAddress,
  newOwner,
  newRecipient,
  ownerSends,
  transfer,
  world,
} from '../world.ts';

const LARGEST_TRANSACTION_BYTES = 1_232;

let owner: HttpOwner;
let session: HttpSession;
let recipient: string;
beforeAll(async () => {
  [owner, recipient] = await Promise.all([newOwner(3_000_000n), newRecipient()]);
  session = await owner.createSession({
    recipients: [recipient],
    maxPerTx: 1_000n,
    dailyCap: 1_000_000n,
  });
});

row('limits.max_per_tx', async () => {
  const above = await transfer(session.apiKey, { recipient, amount: 1_001 });
  expect(above).toMatchObject({ status: 402, body: { code: 'AmountExceedsMaxPerTx' } });
  expect((await transfer(session.apiKey, { recipient, amount: 1_000 })).status).toBe(200);
});

row('limits.daily_cap', async () => {
  const one = await owner.createSession({ recipients: [recipient], dailyCap: 1_000n });
  const spend = async (amount: number) => (await transfer(one.apiKey, { recipient, amount })).body;
  expect(await spend(999)).toMatchObject({ status: 'confirmed' });
  expect(await spend(2)).toMatchObject({ code: 'DailyCapExceeded' });
  expect(await spend(1)).toMatchObject({ status: 'confirmed' });
  expect(await spend(1)).toMatchObject({ code: 'DailyCapExceeded' });
});

row('limits.recipients', async () => {
  const addresses = Array.from({ length: 11 }, newAddress);
  const ten = await createUnsigned(owner, { allowed_recipients: addresses.slice(0, 10) });
  expect(ten.status).toBe(200);
  await ownerSends(owner.keypair, String(ten.body['txBase64']));
  const eleven = await createUnsigned(owner, { allowed_recipients: addresses });
  expect(eleven).toMatchObject({
    status: 400,
    body: { error: expect.stringMatching(/^allowed_recipients .*10/) },
  });
});

row('limits.expiry', async () => {
  const expiry = BigInt(Math.floor(Date.now() / 1_000) + 10);
  const one = await owner.createSession({ recipients: [recipient], expiry });
  expect((await transfer(one.apiKey, { recipient, amount: 1 })).status).toBe(200);
  const refused = await waitUntil(
    'the session’s expiry on chain',
    async () => {
      const asked = await transfer(one.apiKey, { recipient, amount: 1 });
      return asked.status !== 200 && asked;
    },
    { timeoutMs: 30_000, intervalMs: 250 },
  );
  expect(refused).toMatchObject({ status: 402, body: { code: 'SessionExpired' } });
});

row('limits.amount-unit', async () => {
  expect(await readMintDecimals(world.usdcMint)).toBe(6);
  const account = chain.usdcAccountOf(recipient);
  const [before = 0n] = await chain.balances([account]);
  await transfer(session.apiKey, { recipient, amount: 1 });
  expect(await chain.balances([account])).toEqual([before + 1n]);
});

row('limits.json-numbers', async () => {
  const amount = '9007199254740993';
  const { body } = await transfer(session.apiKey, { recipient, amount });
  expect(body).toMatchObject({ error: 'INSUFFICIENT_LIQUID', amount });
  expect(BigInt(String(body['deficit']))).toBeGreaterThan(9_007_199_250_000_000n);
  const number = await transfer(session.apiKey, { recipient, amount: 2 ** 53 });
  expect(number).toMatchObject({
    status: 400,
    body: { error: expect.stringMatching(/^amount must be .*string/) },
  });
});

row('limits.transaction-size', async () => {
  const addresses = Array.from({ length: 10 }, newAddress);
  const { body } = await createUnsigned(owner, { allowed_recipients: addresses });
  const largest = await ownerSends(owner.keypair, String(body['txBase64']));
  const spent = await transfer(session.apiKey, { recipient, amount: 2 });
  for (const signature of [largest, String(spent.body['tx_signature'])]) {
    expect((await readTransaction(signature)).bytes).toBeLessThanOrEqual(LARGEST_TRANSACTION_BYTES);
  }
});

row('limits.owner-funding', async () => {
  const keypair = Keypair.generate();
  await faucet.sol(keypair.publicKey, 50_000_000);
  const cookie = await signIn(world, keypair);
  const wallet = await asOwner({ cookie }, 'POST', '/v1/wallet', {});
  await ownerSends(keypair, String(wallet.body['txBase64']));
  await faucet.usdc(new PublicKey(String(wallet.body['vaultUsdcAta'])), 1_000n);
  const walletId = String(wallet.body['wallet_id']);
  const wish = { allowed_recipients: [recipient] };
  const { body } = await createUnsigned({ cookie, walletId }, wish);
  await ownerSends(keypair, String(body['txBase64']));
  const answer = await transfer(String(body['api_key']), { recipient, amount: 1_000 });
  expect(answer.status).toBe(200);
});

row('versioning.v1', async () => {
  for (const path of ['/wallet', '/session', '/audit', '/yield/position', '/auth/siws']) {
    const method = path === '/auth/siws' ? 'POST' : 'GET';
    const body = method === 'POST' ? { body: {} } : {};
    const [v1, v2] = [
      await call(method, `/v1${path}`, body),
      await call(method, `/v2${path}`, body),
    ];
    expect(v2).toMatchObject({ status: 404, body: { error: 'route not found' } });
    expect(v1.status).not.toBe(404);
  }
});

row('versioning.test-network', () => {
  expect(session.apiKey).toMatch(/^svc_dev_/);
});
