import { setTimeout as delay } from 'node:timers/promises';
import { Keypair, PublicKey } from '@solana/web3.js';
import {
  createOwnerClient,
  keypairSigner,
  LOCAL,
  type OwnerClient,
  type OwnerTransaction,
} from '@agent-wallet/sdk/owner';
import type { System } from '@agent-wallet/local-system/system/start-system.ts';
import type { Api } from './call-api.ts';
import { createInTurn } from '../in-turn.ts';
import type { SessionRequest } from '../system/lane-fixture.ts';

export { type Api, callApi, type CallOptions, type HttpAnswer } from './call-api.ts';
export { signIn } from './sign-in.ts';

const SOL = 1_000_000_000;
const INDEX_TRIES = 20;
const INDEX_MS = 500;

/** An owner that acts over HTTP only and signs with its own key. */
export type HttpOwner = {
  readonly keypair: Keypair;
  /** Signed in; it sends no transaction. */
  readonly client: OwnerClient;
  /** The client's, for requests without it. */
  readonly cookie: string;
  readonly walletId: string;
  readonly vault: string;
  readonly vaultUsdcAta: string;
  createSession(request: SessionRequest): Promise<HttpSession>;
  /** Signs what the client has checked, sends it, and waits for it. */
  send(transaction: OwnerTransaction): Promise<void>;
};

export type HttpSession = {
  readonly sessionId: string;
  readonly sessionPda: string;
  readonly apiKey: string;
};

/** Sends the owner's signed transactions and waits for them. */
export type OwnerSends = {
  ownerSends(owner: Keypair, txBase64: string): Promise<unknown>;
};

/** Requests a session again where the api has read the index of its vault from a node behind. */
async function again<Result>(request: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await request();
    } catch (error) {
      const isStale = String(error).includes('SessionIndexMismatch');
      if (!isStale || tries === INDEX_TRIES) throw error;
      await delay(INDEX_MS);
    }
  }
}

/** Signs in with a new key, creates the vault, funds it. */
export async function createHttpOwner(
  system: Api & Pick<System, 'faucet'>,
  fixture: OwnerSends,
  usdc: bigint,
  settings: { readonly max_deployed_fraction_bp?: number } = {},
): Promise<HttpOwner> {
  const keypair = Keypair.generate();
  await system.faucet.sol(keypair.publicKey, SOL);
  let cookie = '';
  const client = createOwnerClient({
    url: system.urls.api,
    deployment: LOCAL,
    signer: keypairSigner(keypair.secretKey),
    fetch: async (url, init) => {
      const response = await fetch(url, init);
      cookie = response.headers.get('set-cookie')?.split(';')[0] ?? cookie;
      return response;
    },
  });
  const send = async ({ bytes }: OwnerTransaction): Promise<void> => {
    await fixture.ownerSends(keypair, Buffer.from(bytes).toString('base64'));
  };
  await client.signIn();
  const created = await client.createWallet(settings);
  await send(created.transaction);
  const inTurn = createInTurn();
  if (usdc > 0n) await system.faucet.usdc(new PublicKey(created.vaultUsdcAta), usdc);
  return {
    keypair,
    client,
    cookie,
    send,
    walletId: created.wallet_id,
    vault: created.vaultPda,
    vaultUsdcAta: created.vaultUsdcAta,
    // The program takes the sessions of a vault one after the other, by their index.
    createSession: (request) =>
      inTurn('session', () =>
        again(async () => {
          const session = await client.createSession({
            wallet_id: created.wallet_id,
            max_per_tx: request.maxPerTx ?? 1_000_000n,
            daily_cap: request.dailyCap ?? 1_000_000_000n,
            expiry: Number(request.expiry ?? BigInt(Math.floor(Date.now() / 1_000)) + 3_600n),
            allowed_recipients: request.recipients,
            allowed_instructions: request.allowedInstructions ?? 1,
          });
          const { transaction, api_key: apiKey } = session;
          // Both are null only for a repetition under an Idempotency-Key.
          if (transaction === null || apiKey === null) throw new Error('the session is not new');
          await send(transaction);
          return { sessionId: session.session_id, sessionPda: session.session_pda, apiKey };
        }),
      ),
  };
}
