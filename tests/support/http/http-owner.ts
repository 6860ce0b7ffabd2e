import { setTimeout as delay } from 'node:timers/promises';
import { Keypair, PublicKey } from '@solana/web3.js';
import { z } from 'zod';
import type { System } from '@agent-wallet/local-system/system/start-system.ts';
import { type Api, callApi } from './call-api.ts';
import { createInTurn } from '../in-turn.ts';
import type { SessionRequest } from '../system/lane-fixture.ts';
import { signIn } from './sign-in.ts';

export { type Api, callApi, type CallOptions, type HttpAnswer } from './call-api.ts';
export { signIn } from './sign-in.ts';

const SOL = 1_000_000_000;
const BUSY_TRIES = 20;
const BUSY_MS = 500;
const INDEX_TRIES = 20;

/** An owner that acts over HTTP only and signs with its own key. */
export type HttpOwner = {
  readonly keypair: Keypair;
  readonly cookie: string;
  readonly walletId: string;
  readonly vault: string;
  readonly vaultUsdcAta: string;
  createSession(request: SessionRequest): Promise<HttpSession>;
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

/** Posts as an owner, and retries while the api replies 503. */
async function postAsOwner(
  system: Api,
  path: string,
  request: { readonly headers: Record<string, string>; readonly body: unknown },
): Promise<unknown> {
  for (let tries = 1; ; tries += 1) {
    const { status, body } = await callApi(system, 'POST', path, request);
    if (status < 300) return body;
    if (status !== 503 || tries === BUSY_TRIES) {
      throw new Error(`POST ${path} returned ${status}: ${JSON.stringify(body)}`);
    }
    await delay(BUSY_MS);
  }
}

/** Requests a session again where the api has read the index of its vault from a node behind. */
async function again<Result>(request: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await request();
    } catch (error) {
      const isStale = String(error).includes('SessionIndexMismatch');
      if (!isStale || tries === INDEX_TRIES) throw error;
      await delay(BUSY_MS);
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
  const cookie = await signIn(system, keypair);
  const headers = { cookie };
  const created = walletAnswer.parse(
    await postAsOwner(system, '/v1/wallet', { headers, body: settings }),
  );
  await fixture.ownerSends(keypair, created.txBase64);
  const inTurn = createInTurn();
  if (usdc > 0n) await system.faucet.usdc(new PublicKey(created.vaultUsdcAta), usdc);
  return {
    keypair,
    cookie,
    walletId: created.wallet_id,
    vault: created.vaultPda,
    vaultUsdcAta: created.vaultUsdcAta,
    // The program takes the sessions of a vault one after the other, by their index.
    createSession: (request) =>
      inTurn('session', () =>
        again(async () => {
          const answer = await postAsOwner(system, '/v1/session', {
            headers,
            body: {
              wallet_id: created.wallet_id,
              max_per_tx: String(request.maxPerTx ?? 1_000_000n),
              daily_cap: String(request.dailyCap ?? 1_000_000_000n),
              expiry: Number(request.expiry ?? BigInt(Math.floor(Date.now() / 1_000)) + 3_600n),
              allowed_recipients: request.recipients,
              allowed_instructions: request.allowedInstructions ?? 1,
            },
          });
          const session = sessionAnswer.parse(answer);
          await fixture.ownerSends(keypair, session.txBase64);
          return {
            sessionId: session.session_id,
            sessionPda: session.session_pda,
            apiKey: session.api_key,
          };
        }),
      ),
  };
}

const walletAnswer = z.object({
  txBase64: z.string(),
  wallet_id: z.string(),
  vaultPda: z.string(),
  vaultUsdcAta: z.string(),
});
const sessionAnswer = z.object({
  txBase64: z.string(),
  session_id: z.string(),
  session_pda: z.string(),
  api_key: z.string(),
});
