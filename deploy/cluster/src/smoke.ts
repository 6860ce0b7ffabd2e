import { setTimeout as delay } from 'node:timers/promises';
import { createAgentWallet, isAgentWalletError } from '@agent-wallet/sdk';
import {
  createOwnerClient,
  type Deployment,
  formatUsdc,
  keypairSigner,
  type OwnerClient,
} from '@agent-wallet/sdk/owner';
import type { Keypair } from '@solana/web3.js';
import { ClusterError } from './cluster-error.ts';

export type SmokeOptions = {
  /** Base URL of the API. */
  readonly api: string;
  /** An RPC endpoint: the owner's transactions are sent through it. */
  readonly rpcUrl: string;
  /** What the owner trusts to sign for. */
  readonly deployment: Deployment;
  /** Signs as an owner, with SOL for fees and rent. */
  readonly owner: Keypair;
  /** A wallet address with a USDC token account, which is paid. */
  readonly recipient: string;
  /** Base units; what is spent. */
  readonly amount: bigint;
  readonly say: (line: string) => void;
};

const TRANSFERS = 1;
const SESSION_SECONDS = 900;
const REFUSAL_TRIES = 60;
const REFUSAL_PAUSE_MS = 1_000;

/**
 * Tries a deployment as its users would: signs in, creates the vault if there is none, checks its
 * funds, opens a session that can pay one recipient one small amount, pays, revokes the session, and
 * sees its key refused. Throws a ClusterError that says what is missing.
 */
export async function trySmoke(options: SmokeOptions): Promise<void> {
  const { api, rpcUrl, deployment, owner, recipient, amount, say } = options;
  const signer = keypairSigner(owner.secretKey);
  const client = createOwnerClient({ url: api, rpcUrl, deployment, signer });
  const { cluster, program_id: programId } = await client.config();
  if (programId !== deployment.programId) {
    throw new ClusterError(`The API serves the program ${programId}, not ${deployment.programId}.`);
  }
  await client.signIn();
  say(`signed in as ${signer.address} on ${cluster}`);
  const walletId = await openFundedVault(client, options);
  const session = await client.createSession({
    wallet_id: walletId,
    max_per_tx: amount,
    daily_cap: amount,
    expiry: Math.floor(Date.now() / 1_000) + SESSION_SECONDS,
    allowed_recipients: [recipient],
    allowed_instructions: TRANSFERS,
  });
  if (session.transaction === null || session.api_key === null) {
    throw new ClusterError('The API returned no new session: run this again.');
  }
  await session.transaction.sendAndConfirm();
  say(`opened the session ${session.session_pda}`);
  const agent = createAgentWallet({ url: api, apiKey: session.api_key });
  try {
    const paid = await agent.transfer({ recipient, amount });
    if (paid.status === 'pending') {
      throw new ClusterError(`The spend ${paid.spend_id} is still pending: look for it later.`);
    }
    say(`paid ${formatUsdc(amount)} USDC to ${recipient}: ${paid.tx_signature}`);
  } finally {
    await (await client.revoke(session)).sendAndConfirm();
    say('revoked the session');
  }
  await expectRefused(() => agent.position());
  say('the key of the session is refused');
}

/** The owner's wallet, with a vault on chain that holds the amount. */
async function openFundedVault(
  client: OwnerClient,
  { amount, deployment, say }: SmokeOptions,
): Promise<string> {
  if (!(await hasVault(client))) {
    const { transaction, vaultPda } = await client.createWallet();
    await transaction.sendAndConfirm();
    say(`created the vault ${vaultPda}`);
  }
  const { wallet_id: walletId, liquid, vaultUsdcAta } = await client.wallet();
  if (liquid === null) throw new ClusterError('The balance of the vault could not be read.');
  if (liquid < amount) {
    throw new ClusterError(
      `The vault holds ${formatUsdc(liquid)} USDC: send ${formatUsdc(amount)} USDC of the mint ` +
        `${deployment.usdcMint} to ${vaultUsdcAta}, and run this again.`,
    );
  }
  say(`the vault holds ${formatUsdc(liquid)} USDC`);
  return walletId;
}

async function hasVault(client: OwnerClient): Promise<boolean> {
  try {
    return (await client.wallet()).status === 'active';
  } catch (error) {
    if (isAgentWalletError(error) && error.status === 404) return false;
    throw error;
  }
}

/** The api sees a revocation at once or when it next reads the chain. */
async function expectRefused(run: () => Promise<unknown>): Promise<void> {
  for (let tries = 0; tries < REFUSAL_TRIES; tries += 1) {
    try {
      await run();
    } catch (error) {
      if (isAgentWalletError(error) && error.status === 401) return;
      throw error;
    }
    await delay(REFUSAL_PAUSE_MS);
  }
  throw new ClusterError('The key of the revoked session still works.');
}
