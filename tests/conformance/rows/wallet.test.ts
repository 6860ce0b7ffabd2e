import { getAssociatedTokenAddressSync } from '@solana/spl-token';
import { Keypair, Message, PublicKey, Transaction } from '@solana/web3.js';
import { expect } from 'vitest';
import { signIn } from '../../support/http/http-owner.ts';
import {
  readAccount,
  readMintDecimals,
  readOwner,
  readTransaction,
  sendAsItIs,
} from '../chain-history.ts';
import { row } from '../row.ts';
import {
  agentWith,
  asOwner,
  callOther,
  chain,
  createUnsigned,
  faucet,
  newAddress,
  newOwner,
  newRecipient,
  newSignedIn,
  ownerSends,
  refused,
  world,
} from '../world.ts';

const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
const BASE58 = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;
const BASE64 = /^[A-Za-z0-9+/]+=*$/;

const owner = await newOwner(1_234n);
const address = owner.keypair.publicKey.toBase58();
const readWallet = async () => (await owner.call('GET', '/v1/wallet')).body;
const newVisitor = async () => ({ cookie: await signIn(world, Keypair.generate()) });
const createWallet = (who: { readonly cookie: string }, body = {}) =>
  asOwner(who, 'POST', '/v1/wallet', body);

row(['endpoints.wallet-read', 'open.wallet.fields'], async () => {
  const { status, body } = await owner.call('GET', '/v1/wallet');
  expect(status).toBe(200);
  expect(body).toEqual({
    wallet_id: owner.walletId,
    owner: address,
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

row(
  [
    'endpoints.wallet-create',
    'open.wallet.status',
    'open.wallet.wallet_id',
    'service.owner.key-stays',
    'states.vault.created',
    'vault.max_deployed_fraction_bp',
  ],
  async () => {
    const { keypair, cookie } = await newSignedIn();
    const { status, body } = await createWallet({ cookie }, { max_deployed_fraction_bp: 8_000 });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      txBase64: expect.stringMatching(BASE64),
      vaultPda: expect.stringMatching(BASE58),
      vaultUsdcAta: expect.stringMatching(BASE58),
    });
    const [vault, account] = [String(body['vaultPda']), String(body['vaultUsdcAta'])];
    const [txBase64, walletId] = [String(body['txBase64']), String(body['wallet_id'])];
    const read = async () => (await asOwner({ cookie }, 'GET', '/v1/wallet')).body;
    expect(await read()).toMatchObject({ wallet_id: walletId, status: 'pending' });

    // Unsigned, or signed by another key, the transaction does nothing.
    await expect(sendAsItIs(txBase64)).rejects.toThrow(/signature/i);
    const stranger = Keypair.generate();
    await expect(ownerSends(stranger, txBase64)).rejects.toThrow(/signature|unknown signer/i);
    expect([await readOwner(vault), await readOwner(account)]).toEqual([null, null]);

    await ownerSends(keypair, txBase64);
    expect([await readOwner(vault), await readOwner(account)]).toEqual([
      world.programId,
      TOKEN_PROGRAM,
    ]);
    const fraction = { max_deployed_fraction_bp: 8_000 };
    expect(await readAccount('Vault', vault)).toMatchObject({
      vault_token_account: account,
      ...fraction,
    });
    expect(await read()).toMatchObject({ wallet_id: walletId, status: 'active', ...fraction });

    expect((await createUnsigned({ cookie, walletId })).status).toBe(200);
    const foreign = await createUnsigned({ cookie, walletId: owner.walletId });
    expect(foreign).toMatchObject(refused(404, 'wallet not found'));
  },
);

row('open.wallet.not-found', async () => {
  const answer = await asOwner(await newVisitor(), 'GET', '/v1/wallet');
  expect(answer).toMatchObject(refused(404, 'wallet not found'));
});

row('open.wallet.not-active', async () => {
  const visitor = await newVisitor();
  const [one, two] = [await createWallet(visitor), await createWallet(visitor)];
  expect([one.status, two.status]).toEqual([200, 200]);
  const walletId = String(one.body['wallet_id']);
  expect(two.body['wallet_id']).toBe(walletId);
  const early = await createUnsigned({ ...visitor, walletId });
  expect(early).toMatchObject(refused(409, 'wallet not active'));
});

row(['open.wallet.again', 'vault.on-chain'], async () => {
  expect(await readAccount('Vault', owner.vault)).toMatchObject({ owner: address });
  expect((await newOwner(0n)).vault).not.toBe(owner.vault);
  expect(await createWallet(owner)).toMatchObject(refused(409, 'wallet already exists'));
  expect((await readWallet())['vaultPda']).toBe(owner.vault);
});

row('open.wallet.fraction', async () => {
  const visitor = await newVisitor();
  const refusalOf = async (max_deployed_fraction_bp: unknown) =>
    (await createWallet(visitor, { max_deployed_fraction_bp })).body['error'];
  for (const value of [-1, 10_001, 0.5, '5', null]) {
    expect(await refusalOf(value)).toMatch(/^max_deployed_fraction_bp must be/);
  }
  expect([await refusalOf(10_000), await refusalOf(0)]).toEqual([undefined, undefined]);
  expect(await readAccount('Vault', owner.vault)).toMatchObject({ max_deployed_fraction_bp: 0 });
});

row('vault.vaultPda', async () => {
  const seeds = [Buffer.from('vault'), owner.keypair.publicKey.toBytes()];
  const [derived] = PublicKey.findProgramAddressSync(seeds, new PublicKey(world.programId));
  expect([owner.vault, (await readWallet())['vaultPda']]).toEqual(
    Array.from({ length: 2 }, () => derived.toBase58()),
  );
});

row(['vault.vaultUsdcAta', 'endpoints.deposit-address', 'open.deposit-address'], async () => {
  const [mint, vault] = [new PublicKey(world.usdcMint), new PublicKey(owner.vault)];
  const derived = getAssociatedTokenAddressSync(mint, vault, true).toBase58();
  expect(owner.vaultUsdcAta).toBe(derived);
  expect((await readWallet())['vaultUsdcAta']).toBe(derived);
  const onChain = await readAccount('Vault', owner.vault);
  expect(onChain).toMatchObject({ vault_token_account: derived });
  const { status, body } = await owner.call('GET', '/v1/fund/deposit-address');
  expect(status).toBe(200);
  expect(body).toEqual({ address: derived, mint: world.usdcMint, cluster: 'devnet' });
});

row(['amounts.base-units', 'vault.funding'], async () => {
  expect(await readMintDecimals(world.usdcMint)).toBe(6);
  const funded = await newOwner(0n);
  const liquid = async () => (await funded.call('GET', '/v1/wallet')).body['liquid'];
  expect(await liquid()).toBe(0);
  await faucet.usdc(new PublicKey(funded.vaultUsdcAta), 1_250_000n);
  expect(await liquid()).toBe(1_250_000);
  expect(await chain.balances([funded.vaultUsdcAta])).toEqual([1_250_000n]);
});

row(['endpoints.unsigned', 'auth.owner.signs-transactions'], async () => {
  const one = await owner.openAgent([]);
  const created = await createUnsigned(owner);
  const answers = [
    await createWallet(await newVisitor()),
    created,
    await owner.call('POST', `/v1/session/${one.sessionId}/revoke`),
  ];
  for (const { body } of answers) {
    const transaction = Transaction.from(Buffer.from(String(body['txBase64']), 'base64'));
    expect(transaction.signatures.map(({ signature }) => signature)).toEqual([null]);
  }
  // Requested and not signed: nothing has happened.
  expect(await readAccount('Session', one.sessionPda)).not.toBeNull();

  const txBase64 = String(created.body['txBase64']);
  await expect(ownerSends(Keypair.generate(), txBase64)).rejects.toThrow(/unknown signer/);
  const { signers, succeeded } = await readTransaction(await ownerSends(owner.keypair, txBase64));
  expect([signers, succeeded]).toEqual([[address], true]);
});

row('open.transactions', async () => {
  const { body } = await createUnsigned(owner);
  const bytes = Buffer.from(String(body['txBase64']), 'base64');
  expect(bytes[0]).toBe(1);
  expect(bytes.subarray(1, 65)).toEqual(Buffer.alloc(64));
  // A versioned message would begin with a byte above 127.
  expect(bytes[65]).toBeLessThan(128);
  expect(Message.from(bytes.subarray(65)).accountKeys[0]).toEqual(owner.keypair.publicKey);

  const visitor = await newVisitor();
  const options = { headers: visitor, body: {} };
  const cut = await callOther('api-cut', 'POST', '/v1/wallet', options);
  expect(cut).toMatchObject(refused(503, 'rpc unavailable'));
  expect((await asOwner(visitor, 'GET', '/v1/wallet')).status).toBe(404);
});

row('open.recipients', async () => {
  const twice = newAddress();
  const mint = new PublicKey(world.usdcMint);
  for (const allowed_recipients of [
    [owner.vault],
    [owner.vaultUsdcAta],
    [world.usdcMint],
    [twice, twice],
    ['1'.repeat(31)],
    ['not base58'],
  ]) {
    const answer = await createUnsigned(owner, { allowed_recipients });
    expect(answer).toMatchObject(refused(400, /^allowed_recipients/));
  }
  const treasury = PublicKey.findProgramAddressSync([Buffer.from('t')], mint)[0];
  expect(PublicKey.isOnCurve(treasury.toBytes())).toBe(false);
  const allowed_recipients = [
    treasury.toBase58(),
    // No token account exists at this address yet.
    getAssociatedTokenAddressSync(mint, treasury, true).toBase58(),
  ];
  expect((await createUnsigned(owner, { allowed_recipients })).status).toBe(200);
});

row('limits.owner-funding', async () => {
  const { keypair, cookie } = await newSignedIn(50_000_000);
  const recipient = await newRecipient();
  const wallet = (await createWallet({ cookie })).body;
  await ownerSends(keypair, String(wallet['txBase64']));
  await faucet.usdc(new PublicKey(String(wallet['vaultUsdcAta'])), 1_000n);
  const walletId = String(wallet['wallet_id']);
  const { body } = await createUnsigned({ cookie, walletId }, { allowed_recipients: [recipient] });
  await ownerSends(keypair, String(body['txBase64']));
  const agent = agentWith(String(body['api_key']), recipient);
  expect((await agent.pay(1_000)).status).toBe(200);
});
