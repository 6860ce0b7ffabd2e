import { type AgentWallet, createAgentWallet } from '@agent-wallet/sdk';
import { createOwnerClient, LOCAL, type OwnerClient } from '@agent-wallet/sdk/owner';
import type { Page } from 'playwright-core';
import { inject } from 'vitest';
import { createTestWallet, type TestWallet } from './test-wallet/test-wallet.ts';

const SOL = 1_000_000_000;
const DAY_S = 86_400;

/** Worthless money from the local faucet: lamports, base units of USDC. */
export async function fund(
  address: string,
  amounts: { readonly lamports?: number; readonly usdc?: string },
): Promise<void> {
  const { faucet } = inject('browserWorld').urls;
  const body = JSON.stringify({ address, ...amounts });
  const response = await fetch(faucet, { method: 'POST', body });
  if (!response.ok) throw new Error(`the faucet returned ${response.status}`);
}

/** The client of a test wallet's first account, in this process and not in the page. */
export function clientOf({ signer }: TestWallet): OwnerClient {
  const { urls, programId, usdcMint } = inject('browserWorld');
  const deployment = { ...LOCAL, programId, usdcMint };
  return createOwnerClient({ url: urls.api, rpcUrl: urls.rpc, deployment, signer });
}

/** An owner with SOL for fees and a vault that holds `usdc` base units, ready to sign in. */
export async function createOwner(usdc: bigint): Promise<{
  readonly wallet: TestWallet;
  /** Signed in, in this process. */
  readonly client: OwnerClient;
  readonly walletId: string;
}> {
  const wallet = createTestWallet();
  await fund(wallet.signer.address, { lamports: SOL });
  const client = clientOf(wallet);
  await client.signIn();
  const { wallet_id, vaultUsdcAta, transaction } = await client.createWallet();
  await transaction.sendAndConfirm();
  if (usdc > 0n) await fund(vaultUsdcAta, { usdc: String(usdc) });
  return { wallet, client, walletId: wallet_id };
}

/** An agent of this owner with a live session: its key, its client and the one it may pay. */
export async function createAgent(
  { client, walletId }: Pick<Awaited<ReturnType<typeof createOwner>>, 'client' | 'walletId'>,
  limits: { readonly max_per_tx: bigint; readonly daily_cap: bigint; readonly days?: number },
): Promise<{
  readonly agent: AgentWallet;
  readonly sessionId: string;
  readonly recipient: string;
}> {
  const recipient = createTestWallet().signer.address;
  // A payment needs the recipient's account for USDC.
  await fund(recipient, { usdc: '1' });
  const { session_id, api_key, transaction } = await client.createSession({
    wallet_id: walletId,
    max_per_tx: limits.max_per_tx,
    daily_cap: limits.daily_cap,
    expiry: Math.floor(Date.now() / 1_000) + (limits.days ?? 1) * DAY_S,
    allowed_recipients: [recipient],
    allowed_instructions: 1,
  });
  if (transaction === null || api_key === null) throw new Error('a new session without its key');
  await transaction.sendAndConfirm();
  const agent = createAgentWallet({ url: inject('browserWorld').urls.api, apiKey: api_key });
  return { agent, sessionId: session_id, recipient };
}

/** Signs in on an opened page with the test wallet, and waits for what comes after it. */
export async function signIn(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Sign in with Test Wallet' }).click();
  await page.getByRole('heading', { name: /^Overview$|^Create your vault$/ }).waitFor();
}
