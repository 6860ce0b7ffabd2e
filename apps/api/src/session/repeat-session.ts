import { createHash } from 'node:crypto';
import type { CreateSessionBody } from '@agent-wallet/contract';
import type { Database } from '@agent-wallet/db';
import { findSession, type SessionOfRequest, type Wallet } from '@agent-wallet/wallet';
import type { ChainAccess } from '../chain/chain-access.ts';
import { refuse } from '../http/http-refusal.ts';
import { requireVault } from '../wallet/wallet-activity.ts';
import { readSessions } from './find-session.ts';
import { limitsOf } from './limits-of-body.ts';
import { sessionStatus } from './session-view.ts';

type Deps = {
  readonly db: Database;
  readonly chain: ChainAccess;
  readonly nowMs: () => number;
};

/** A session that exists; its transaction only while the owner has none on chain. */
export type RepeatedSession = {
  readonly sessionId: string;
  readonly sessionPubkey: string;
  readonly sessionPda: string;
  readonly apiKey: null;
  readonly txBase64: string | null;
};

type Repeated = {
  readonly wallet: Wallet;
  readonly body: CreateSessionBody;
  readonly known: SessionOfRequest;
};

/**
 * Returns the session of an earlier request under the same Idempotency-Key. Nothing changes: the api
 * key was shown once and is not stored, and a new one would revoke a key that may be in use.
 *
 * Refuses another request with 409 `idempotency key reused`, and a wallet whose vault is gone with
 * 409 `wallet not active`; throws RPC_UNAVAILABLE.
 */
export function createRepeatSession(deps: Deps) {
  return async ({ wallet, body, known }: Repeated): Promise<RepeatedSession> => {
    const { owner } = wallet;
    const row = await findSession(deps.db, owner, known.sessionId);
    if (row === null || !digestOfRequest(body).equals(known.requestDigest)) {
      throw refuse('IDEMPOTENCY_KEY_REUSED');
    }
    const { sessionId, sessionPubkey, sessionPda } = row;
    const session = { sessionId, sessionPubkey, sessionPda, apiKey: null };
    const [onChain = { slot: 0n, state: null }] = await readSessions(deps, owner, [row]);
    const nowSeconds = BigInt(Math.floor(deps.nowMs() / 1000));
    const isAwaited = sessionStatus(row, onChain, nowSeconds) === 'awaiting_owner_signature';
    if (!isAwaited || nowSeconds >= row.expiry) return { ...session, txBase64: null };
    const { nextSessionIndex } = await requireVault(deps, wallet);
    const granted = { ...limitsOf(body), sessionPubkey, recipients: body.allowed_recipients };
    const { transactions } = deps.chain;
    return {
      ...session,
      txBase64: await transactions.addSession(owner, granted, nextSessionIndex),
    };
  };
}

/** The SHA-256 of the fields of a request; requests for the same session have the same digest. */
export function digestOfRequest(body: CreateSessionBody): Buffer {
  const fields = [
    body.wallet_id,
    body.max_per_tx.toString(),
    body.daily_cap.toString(),
    body.expiry,
    body.allowed_recipients,
    body.allowed_instructions,
  ];
  return createHash('sha256').update(JSON.stringify(fields)).digest();
}
