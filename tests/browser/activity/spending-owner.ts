import { type AgentWallet, createAgentWallet, usdc } from '@agent-wallet/sdk';
import type { OwnerClient } from '@agent-wallet/sdk/owner';
import { randomBytes } from 'node:crypto';
import bs58 from 'bs58';
import { inject } from 'vitest';
import { createOwner, fund } from '../harness/owners.ts';
import type { TestWallet } from '../harness/test-wallet/test-wallet.ts';

const HOUR_S = 3_600;

/** An owner with an agent that may transfer to one recipient. */
export type SpendingOwner = {
  readonly wallet: TestWallet;
  readonly client: OwnerClient;
  readonly agent: AgentWallet;
  readonly sessionId: string;
  readonly recipient: string;
};

/** A wallet address, with a USDC token account unless it is for one that cannot be paid. */
export const newAddress = (): string => bs58.encode(randomBytes(32));

/**
 * A vault with `funds` and a session of at most 1 USDC at once and `cap` in 24 hours; base units.
 */
export async function createSpendingOwner({
  funds = usdc('20'),
  cap = usdc('5'),
} = {}): Promise<SpendingOwner> {
  const { wallet, client, walletId } = await createOwner(funds);
  const recipient = newAddress();
  await fund(recipient, { usdc: '1' });
  const { transaction, api_key, session_id } = await client.createSession({
    wallet_id: walletId,
    max_per_tx: usdc('1'),
    daily_cap: cap,
    expiry: Math.floor(Date.now() / 1_000) + HOUR_S,
    allowed_instructions: 7,
    allowed_recipients: [recipient],
  });
  await transaction?.sendAndConfirm();
  const agent = createAgentWallet({ url: inject('browserWorld').urls.api, apiKey: api_key ?? '' });
  return { wallet, client, agent, sessionId: session_id, recipient };
}

/** Pays the recipient and waits for the outcome. */
export async function pay({ agent, recipient }: SpendingOwner, amount: string): Promise<void> {
  await agent.waitFor(await agent.transfer({ recipient, amount: usdc(amount) }));
}
