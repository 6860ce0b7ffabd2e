import { getAssociatedTokenAddressSync } from '@solana/spl-token';
import { PublicKey } from '@solana/web3.js';
import { beforeAll, expect } from 'vitest';
import { signIn } from '../../support/http/http-owner.ts';
import { readAccount, readMintDecimals } from '../chain-history.ts';
import { row } from '../row.ts';
import { asOwner, chain, faucet, newFundedKeypair, newOwner, ownerSends, world } from '../world.ts';

/** With a fraction of 80 %, funded after the vault was made. */
let owner: Awaited<ReturnType<typeof makeOwner>>;
beforeAll(async () => {
  owner = await makeOwner();
});

async function makeOwner() {
  const keypair = await newFundedKeypair();
  const cookie = await signIn(world, keypair);
  const { body } = await asOwner({ cookie }, 'POST', '/v1/wallet', {
    max_deployed_fraction_bp: 8_000,
  });
  await ownerSends(keypair, String(body['txBase64']));
  const { vaultPda, vaultUsdcAta } = body;
  return { keypair, cookie, vaultPda: String(vaultPda), vaultUsdcAta: String(vaultUsdcAta) };
}

const readWallet = async () => (await asOwner(owner, 'GET', '/v1/wallet')).body;

row('amounts.base-units', async () => {
  expect(await readMintDecimals(world.usdcMint)).toBe(6);
  await faucet.usdc(new PublicKey(owner.vaultUsdcAta), 1_000_000n);
  const { liquid } = await readWallet();
  expect(BigInt(Number(liquid))).toBe((await chain.balances([owner.vaultUsdcAta]))[0]);
});

row('vault.on-chain', async () => {
  const [address, other] = [owner.keypair.publicKey.toBase58(), await newOwner(0n)];
  expect(await readAccount('Vault', owner.vaultPda)).toMatchObject({ owner: address });
  expect(other.vault).not.toBe(owner.vaultPda);
  const again = await asOwner(owner, 'POST', '/v1/wallet', {});
  expect(again).toMatchObject({ status: 409, body: { error: 'wallet already exists' } });
  expect((await readWallet())['vaultPda']).toBe(owner.vaultPda);
});

row('vault.vaultPda', async () => {
  const seeds = [Buffer.from('vault'), owner.keypair.publicKey.toBytes()];
  const [derived] = PublicKey.findProgramAddressSync(seeds, new PublicKey(world.programId));
  expect(owner.vaultPda).toBe(derived.toBase58());
  expect((await readWallet())['vaultPda']).toBe(derived.toBase58());
});

row('vault.vaultUsdcAta', async () => {
  const [mint, vault] = [new PublicKey(world.usdcMint), new PublicKey(owner.vaultPda)];
  const derived = getAssociatedTokenAddressSync(mint, vault, true).toBase58();
  expect(owner.vaultUsdcAta).toBe(derived);
  expect((await readWallet())['vaultUsdcAta']).toBe(derived);
  expect(await readAccount('Vault', owner.vaultPda)).toMatchObject({
    vault_token_account: derived,
  });
});

row('vault.funding', async () => {
  const before = Number((await readWallet())['liquid']);
  await faucet.usdc(new PublicKey(owner.vaultUsdcAta), 250_000n);
  expect((await readWallet())['liquid']).toBe(before + 250_000);
});

row('vault.max_deployed_fraction_bp', async () => {
  expect((await readWallet())['max_deployed_fraction_bp']).toBe(8_000);
  expect(await readAccount('Vault', owner.vaultPda)).toMatchObject({
    max_deployed_fraction_bp: 8_000,
  });
});
