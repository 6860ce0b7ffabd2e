import { Keypair } from '@solana/web3.js';
import { inShort, inUsdc, USDC } from '../amounts.ts';
import { type Cast, readHoldings } from '../cast/cast.ts';
import { keypairSigner, type OwnerClient } from '@agent-wallet/sdk/owner';
import type { Stage } from '../stage.ts';

const OWNER_LAMPORTS = 1_000_000_000;
const FUNDS = 500n * USDC;

/** An owner signs in with a new key, creates the vault and funds it. */
export async function openVault(stage: Stage): Promise<Cast> {
  const { reporter } = stage;
  reporter.chapter('The owner opens a vault');
  const keypair = Keypair.generate();
  const owner = stage.ownerWith(keypairSigner(keypair.secretKey));
  await reporter.step('sign in with a wallet signature', async (step) => {
    step.request(`POST /v1/auth/siws/nonce, then /v1/auth/siws as ${keypair.publicKey.toBase58()}`);
    await owner.signIn();
    step.reply('200 with the cookie svc_session');
  });
  const { walletId, vaultUsdcAta } = await createVault(stage, owner, keypair.publicKey.toBase58());
  const payees = await reporter.step('create accounts for the payees', async (step) => {
    const made = makePayees();
    step.request(
      'USDC token accounts for the bakery, the printer and a stranger; none for the unbanked payee',
    );
    const { bakery, printer, stranger } = made;
    const signature = await stage.chain.openUsdcAccounts([bakery, printer, stranger], keypair);
    step.chain(`confirmed ${inShort(signature)}, paid for by the owner`);
    return made;
  });
  const cast = { owner, walletId, vaultUsdcAta, funded: FUNDS, ...payees };
  await fund(stage, cast);
  return cast;
}

const newAddress = (): string => Keypair.generate().publicKey.toBase58();

function makePayees(): Pick<Cast, 'bakery' | 'printer' | 'unbanked' | 'stranger'> {
  return {
    bakery: newAddress(),
    printer: newAddress(),
    unbanked: newAddress(),
    stranger: newAddress(),
  };
}

async function createVault(
  stage: Stage,
  owner: OwnerClient,
  ownerAddress: string,
): Promise<Pick<Cast, 'walletId' | 'vaultUsdcAta'>> {
  const { chain } = stage;
  return stage.reporter.step('create the vault', async (step) => {
    await stage.faucet(ownerAddress, { lamports: OWNER_LAMPORTS });
    step.request('POST /v1/wallet');
    const created = await owner.createWallet();
    const { wallet_id: walletId, vaultPda, vaultUsdcAta, transaction } = created;
    step.reply(`200, an unsigned transaction for the vault ${vaultPda}`);
    step.expect(
      'the vault is on chain before the owner signed',
      false,
      await chain.exists(vaultPda),
    );
    const signature = await chain.send(await transaction.sign());
    step.expect('the vault is on chain', true, await chain.exists(vaultPda));
    step.chain(`the owner signed and sent it: confirmed ${inShort(signature)}`);
    step.expect('status', 'active', (await owner.wallet()).status);
    return { walletId, vaultUsdcAta };
  });
}

async function fund(stage: Stage, cast: Cast): Promise<void> {
  const { owner, vaultUsdcAta } = cast;
  await stage.reporter.step('fund the vault', async (step) => {
    step.request('GET /v1/fund/deposit-address');
    const { address, cluster } = await owner.depositAddress();
    step.reply(`200 ${address} on ${cluster}`);
    step.expect('deposit address', vaultUsdcAta, address);
    await stage.faucet(address, { usdc: FUNDS });
    const { vault } = await readHoldings(stage, cast);
    step.chain(`the faucet sent ${inUsdc(FUNDS)}, the vault holds ${inUsdc(vault)}`);
    step.expect('balance of the vault', FUNDS, vault);
    step.expect('liquid in GET /v1/wallet', FUNDS, (await owner.wallet()).liquid);
  });
}
