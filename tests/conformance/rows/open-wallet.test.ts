import { getAssociatedTokenAddressSync } from '@solana/spl-token';
import { Keypair, Message, PublicKey } from '@solana/web3.js';
import { beforeAll, expect } from 'vitest';
import { type HttpOwner, signIn } from '../../support/http/http-owner.ts';
import { readAccount } from '../chain-history.ts';
import { row } from '../row.ts';
import {
  asOwner,
  callOther,
  createUnsigned,
  newAddress,
  newFundedKeypair,
  newOwner,
  ownerSends,
  world,
} from '../world.ts';

let owner: HttpOwner;
beforeAll(async () => {
  owner = await newOwner(1_234n);
});

const signInAnew = async () => ({ cookie: await signIn(world, Keypair.generate()) });

row('open.wallet.fields', async () => {
  expect((await asOwner(owner, 'GET', '/v1/wallet')).body).toEqual({
    wallet_id: owner.walletId,
    owner: owner.keypair.publicKey.toBase58(),
    vaultPda: owner.vault,
    vaultUsdcAta: owner.vaultUsdcAta,
    status: 'active',
    max_deployed_fraction_bp: 0,
    deployed_amount: 0,
    liquid: 1_234,
    paused: false,
    policy: expect.objectContaining({ url_allowlist: [], time_window: null }),
    created_at: expect.stringMatching(/^\d{4}-.*Z$/),
  });
});

row('open.wallet.status', async () => {
  const keypair = await newFundedKeypair();
  const cookie = await signIn(world, keypair);
  const { body } = await asOwner({ cookie }, 'POST', '/v1/wallet', {});
  expect((await asOwner({ cookie }, 'GET', '/v1/wallet')).body['status']).toBe('pending');
  await ownerSends(keypair, String(body['txBase64']));
  expect((await asOwner({ cookie }, 'GET', '/v1/wallet')).body['status']).toBe('active');
});

row('open.wallet.not-found', async () => {
  expect(await asOwner(await signInAnew(), 'GET', '/v1/wallet')).toMatchObject({
    status: 404,
    body: { error: 'wallet not found' },
  });
});

row('open.wallet.wallet_id', async () => {
  const keypair = await newFundedKeypair();
  const cookie = await signIn(world, keypair);
  const { body } = await asOwner({ cookie }, 'POST', '/v1/wallet', {});
  await ownerSends(keypair, String(body['txBase64']));
  const walletId = String(body['wallet_id']);
  expect((await asOwner({ cookie }, 'GET', '/v1/wallet')).body['wallet_id']).toBe(walletId);
  expect((await createUnsigned({ cookie, walletId })).status).toBe(200);
  const another = await createUnsigned({ cookie, walletId: owner.walletId });
  expect(another).toMatchObject({ status: 404, body: { error: 'wallet not found' } });
});

row('open.wallet.again', async () => {
  const nobody = await signInAnew();
  const [one, two] = [
    await asOwner(nobody, 'POST', '/v1/wallet', {}),
    await asOwner(nobody, 'POST', '/v1/wallet', {}),
  ];
  expect([one.status, two.status]).toEqual([200, 200]);
  expect(two.body['wallet_id']).toBe(one.body['wallet_id']);
  expect(await asOwner(owner, 'POST', '/v1/wallet', {})).toMatchObject({
    status: 409,
    body: { error: 'wallet already exists' },
  });
});

row('open.wallet.not-active', async () => {
  const nobody = await signInAnew();
  const { body } = await asOwner(nobody, 'POST', '/v1/wallet', {});
  const answer = await createUnsigned({ ...nobody, walletId: String(body['wallet_id']) });
  expect(answer).toMatchObject({ status: 409, body: { error: 'wallet not active' } });
});

row('open.wallet.fraction', async () => {
  const nobody = await signInAnew();
  const ask = async (max_deployed_fraction_bp: unknown) =>
    (await asOwner(nobody, 'POST', '/v1/wallet', { max_deployed_fraction_bp })).body['error'];
  for (const value of [-1, 10_001, 0.5, '5', null]) {
    expect(await ask(value)).toMatch(/^max_deployed_fraction_bp must be/);
  }
  expect([await ask(10_000), await ask(0)]).toEqual([undefined, undefined]);
  expect(await readAccount('Vault', owner.vault)).toMatchObject({ max_deployed_fraction_bp: 0 });
});

row('open.transactions', async () => {
  const { body } = await createUnsigned(owner);
  const bytes = Buffer.from(String(body['txBase64']), 'base64');
  expect(bytes[0]).toBe(1);
  expect(bytes.subarray(1, 65)).toEqual(Buffer.alloc(64));
  // A versioned message would begin with a byte above 127.
  expect(bytes[65]).toBeLessThan(128);
  const message = Message.from(bytes.subarray(65));
  expect(message.accountKeys[0]).toEqual(owner.keypair.publicKey);

  const nobody = await signInAnew();
  const options = { headers: nobody, body: {} };
  expect(await callOther('api-cut', 'POST', '/v1/wallet', options)).toMatchObject({
    status: 503,
    body: { error: 'rpc unavailable' },
  });
  expect((await asOwner(nobody, 'GET', '/v1/wallet')).status).toBe(404);
});

row('open.deposit-address', async () => {
  expect((await asOwner(owner, 'GET', '/v1/fund/deposit-address')).body).toEqual({
    address: owner.vaultUsdcAta,
    mint: world.usdcMint,
    cluster: 'devnet',
  });
});

row('open.recipients', async () => {
  const twice = newAddress();
  const mint = new PublicKey(world.usdcMint);
  const refused = [
    [owner.vault],
    [owner.vaultUsdcAta],
    [world.usdcMint],
    [twice, twice],
    ['1'.repeat(31)],
    ['not base58'],
  ];
  for (const allowed_recipients of refused) {
    expect(await createUnsigned(owner, { allowed_recipients })).toMatchObject({
      status: 400,
      body: { error: expect.stringMatching(/^allowed_recipients/) },
    });
  }
  const treasury = PublicKey.findProgramAddressSync([Buffer.from('t')], mint)[0];
  expect(PublicKey.isOnCurve(treasury.toBytes())).toBe(false);
  const allowed_recipients = [
    treasury.toBase58(),
    // Not a token account as long as nobody has made it.
    getAssociatedTokenAddressSync(mint, treasury, true).toBase58(),
  ];
  expect((await createUnsigned(owner, { allowed_recipients })).status).toBe(200);
});
