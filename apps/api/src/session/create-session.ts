import { randomUUID } from 'node:crypto';
import type { CreateSessionBody } from '@agent-wallet/contract';
import type { Database } from '@agent-wallet/db';
import { AppError } from '@agent-wallet/errors';
import { keystoreFits } from '@agent-wallet/spend';
import { issueKey, type KeyPrefix } from '../auth/api-key.ts';
import type { ChainAccess } from '../chain/chain-access.ts';
import { badRequest, refuse } from '../http/http-refusal.ts';
import { refuseUnpayable } from './payable-recipients.ts';
import { limitsOf } from './limits-of-body.ts';
import { createRepeatSession, digestOfRequest, type RepeatedSession } from './repeat-session.ts';
import { findSessionOfRequest, findWallet, insertSession } from '@agent-wallet/wallet';
import { requireVault } from '../wallet/wallet-activity.ts';

type Deps = {
  readonly db: Database;
  readonly chain: ChainAccess;
  readonly keyPrefix: KeyPrefix;
  readonly pepper: string;
  readonly nowMs: () => number;
};

/** A session of a first request, with its api key in clear text, or of a repeated one, without. */
type CreatedSession =
  | RepeatedSession
  | {
      readonly sessionId: string;
      readonly sessionPubkey: string;
      readonly sessionPda: string;
      readonly apiKey: string;
      readonly txBase64: string;
    };

/**
 * Records a session of the owner's wallet with a backend-held key and a new api key, and builds the
 * transaction that creates it on chain. The same request under the same Idempotency-Key gets the
 * session of the first one.
 *
 * Refuses with 400, 404 `wallet not found`, 409 `wallet not active` and `idempotency key reused`;
 * throws SESSION_KEYS_NOT_READY, SERVER_MISCONFIGURED and RPC_UNAVAILABLE.
 */
export function createCreateSession(deps: Deps) {
  const { db, chain } = deps;
  const repeatSession = createRepeatSession(deps);
  return async (
    owner: string,
    body: CreateSessionBody,
    idempotencyKey: string | null,
  ): Promise<CreatedSession> => {
    const wallet = await findWallet(db, owner);
    if (wallet !== null && idempotencyKey !== null) {
      const known = await findSessionOfRequest(db, wallet.walletId, idempotencyKey);
      if (known !== null) return repeatSession({ wallet, body, known });
    }
    if (body.expiry <= deps.nowMs() / 1000) {
      throw badRequest('expiry must be in the future, in unix seconds');
    }
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
    const limits = limitsOf(body);
    const sessionPdaOf = (pubkey: string) => chain.sessionPda(wallet.vaultPda, pubkey);
    const outcome = await insertSession(db, {
      ...limits,
      sessionId,
      walletId: wallet.walletId,
      allowedRecipients: body.allowed_recipients,
      keyHash: key.keyHash,
      keyPrefix: key.keyPrefix,
      sessionPdaOf,
      request:
        idempotencyKey === null ? null : { key: idempotencyKey, digest: digestOfRequest(body) },
    });
    if (outcome.kind === 'no_key') throw new AppError('SESSION_KEYS_NOT_READY');
    // Another request under the key has come first.
    if (outcome.kind === 'known') return repeatSession({ wallet, body, known: outcome.session });
    const { sessionPubkey } = outcome;
    const granted = { ...limits, sessionPubkey, recipients: body.allowed_recipients };
    const txBase64 = await chain.transactions.addSession(owner, granted, sessionIndex);
    const sessionPda = sessionPdaOf(sessionPubkey);
    return { sessionId, sessionPubkey, sessionPda, apiKey: key.apiKey, txBase64 };
  };
}
