import { randomUUID } from 'node:crypto';
import type { CreateSessionBody } from '@agent-wallet/contract';
import type { Database } from '@agent-wallet/db';
import { AppError } from '@agent-wallet/errors';
import { keystoreFits } from '@agent-wallet/spend';
import { issueKey, type KeyPrefix } from '../auth/api-key.ts';
import type { ChainAccess } from '../chain/chain-access.ts';
import { badRequest, refuse } from '../http/http-refusal.ts';
import { refuseUnpayable } from './payable-recipients.ts';
import { insertSession, findWallet } from '@agent-wallet/wallet';
import { requireVault } from '../wallet/wallet-activity.ts';

type Deps = {
  readonly db: Database;
  readonly chain: ChainAccess;
  readonly keyPrefix: KeyPrefix;
  readonly pepper: string;
  readonly nowMs: () => number;
};

export type CreatedSession = {
  readonly sessionId: string;
  readonly sessionPubkey: string;
  readonly sessionPda: string;
  readonly apiKey: string;
  readonly txBase64: string;
};

/**
 * Records a session of the owner's wallet with a backend-held key and a new api key, and builds the
 * transaction that creates it on chain.
 *
 * Refuses with 400, 404 `wallet not found`, 409 `wallet not active`; throws SESSION_KEYS_NOT_READY,
 * SERVER_MISCONFIGURED and RPC_UNAVAILABLE.
 */
export function createCreateSession(deps: Deps) {
  const { db, chain } = deps;
  return async (owner: string, body: CreateSessionBody): Promise<CreatedSession> => {
    if (body.expiry <= deps.nowMs() / 1000) {
      throw badRequest('expiry must be in the future, in unix seconds');
    }
    const wallet = await findWallet(db, owner);
    if (wallet === null || wallet.walletId !== body.wallet_id) throw refuse('WALLET_NOT_FOUND');
    // The program takes the sessions of a vault one after the other: of two that are requested before
    // the first one lands, it refuses the second.
    const { nextSessionIndex: sessionIndex } = await requireVault(deps, wallet);
    await refuseUnpayable(deps, owner, body.allowed_recipients);

    // Checked before a key is assigned: the api key, shown once, must not be lost with a failure.
    await chain.checkReachable();
    if (!(await keystoreFits(db))) throw new AppError('SERVER_MISCONFIGURED');
    const sessionId = randomUUID();
    const key = issueKey(deps.keyPrefix, deps.pepper);
    const limits = {
      maxPerTx: body.max_per_tx,
      dailyCap: body.daily_cap,
      expiry: BigInt(body.expiry),
      allowedInstructions: body.allowed_instructions,
    };
    const sessionPdaOf = (pubkey: string) => chain.sessionPda(wallet.vaultPda, pubkey);
    const sessionPubkey = await insertSession(db, {
      ...limits,
      sessionId,
      walletId: wallet.walletId,
      allowedRecipients: body.allowed_recipients,
      keyHash: key.keyHash,
      keyPrefix: key.keyPrefix,
      sessionPdaOf,
    });
    if (sessionPubkey === null) throw new AppError('SESSION_KEYS_NOT_READY');
    const granted = { ...limits, sessionPubkey, recipients: body.allowed_recipients };
    const txBase64 = await chain.transactions.addSession(owner, granted, sessionIndex);
    const sessionPda = sessionPdaOf(sessionPubkey);
    return { sessionId, sessionPubkey, sessionPda, apiKey: key.apiKey, txBase64 };
  };
}
