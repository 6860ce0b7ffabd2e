import { Keypair, PublicKey } from '@solana/web3.js';
import { z } from 'zod';
import { callApi } from '../../../support/http/call-api.ts';
import { signIn } from '../../../support/http/sign-in.ts';
import type { Target } from '../../target.ts';

const SOL = 1_000_000_000;

const createdWallet = z.object({
  wallet_id: z.string(),
  txBase64: z.string(),
  vaultPda: z.string(),
  vaultUsdcAta: z.string(),
});
const createdSession = z.object({
  txBase64: z.string(),
  session_id: z.string(),
  session_pda: z.string(),
});

/**
 * An owner who signs whatever the api builds. The SDK's client would refuse the transactions of a
 * compromised api, and these attacks ask what the program refuses.
 */
export type TrustingOwner = {
  readonly keypair: Keypair;
  readonly cookie: string;
  readonly walletId: string;
  readonly vault: string;
  /** Without recipients. */
  createSession(): Promise<{ readonly sessionId: string; readonly sessionPda: string }>;
};

/** Signs in with a new key, creates the vault, funds it. */
export async function createTrustingOwner(
  { system, fixture }: Target,
  usdc: bigint,
  settings: { readonly max_deployed_fraction_bp?: number } = {},
): Promise<TrustingOwner> {
  const keypair = Keypair.generate();
  await system.faucet.sol(keypair.publicKey, SOL);
  const cookie = await signIn(system, keypair);
  const post = async (path: string, body: object): Promise<unknown> =>
    (await callApi(system, 'POST', path, { headers: { cookie }, body })).body;
  const created = createdWallet.parse(
    await post('/v1/wallet', { max_deployed_fraction_bp: 0, ...settings }),
  );
  await fixture.ownerSends(keypair, created.txBase64);
  await system.faucet.usdc(new PublicKey(created.vaultUsdcAta), usdc);
  const request = {
    wallet_id: created.wallet_id,
    max_per_tx: 1_000_000,
    daily_cap: 1_000_000_000,
    expiry: Math.floor(Date.now() / 1_000) + 3_600,
    allowed_recipients: [],
    allowed_instructions: 1,
  };
  return {
    keypair,
    cookie,
    walletId: created.wallet_id,
    vault: created.vaultPda,
    createSession: async () => {
      const session = createdSession.parse(await post('/v1/session', request));
      await fixture.ownerSends(keypair, session.txBase64);
      return { sessionId: session.session_id, sessionPda: session.session_pda };
    },
  };
}
