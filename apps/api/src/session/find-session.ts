import type { NamedSession, SessionState } from '@agent-wallet/chain';
import type { Database } from '@agent-wallet/db';
import { AppError } from '@agent-wallet/errors';
import type { ChainAccess } from '../chain/chain-access.ts';
import { refuse } from '../http/http-refusal.ts';
import { isUuid } from '../http/request-id.ts';
import { type SessionOnChain, sessionStatus } from './session-view.ts';
import { findSession, type SessionRow } from '@agent-wallet/wallet';

type Deps = {
  readonly db: Database;
  readonly chain: Pick<ChainAccess, 'addressesOf' | 'readWallet'>;
  readonly nowMs: () => number;
};

/** The owner's session with this id. Throws 404 when that owner has none. */
export async function requireSession(
  { db }: Pick<Deps, 'db'>,
  owner: string,
  id: string,
): Promise<SessionRow> {
  const row = isUuid(id) ? await findSession(db, owner, id) : null;
  if (row === null) throw refuse('SESSION_NOT_FOUND');
  return row;
}

/** The state on chain of these sessions of the owner, in their order, read at one slot. */
export async function readSessions(
  { chain }: Pick<Deps, 'chain'>,
  owner: string,
  rows: readonly SessionRow[],
): Promise<readonly SessionOnChain[]> {
  const { slot, sessions } = await chain.readWallet(
    chain.addressesOf(owner),
    rows.map((row) => row.sessionPda),
  );
  return rows.map((_, i) => ({ slot, state: sessions[i] ?? null }));
}

/**
 * A session that the owner can change: it exists on chain, expired or not. Throws 404, 409
 * `session already revoked`, 409 `session not live`, RPC_UNAVAILABLE.
 */
export async function requireSessionOnChain(
  deps: Deps,
  owner: string,
  id: string,
): Promise<{ readonly named: NamedSession; readonly state: SessionState }> {
  const row = await requireSession(deps, owner, id);
  if (row.status === 'revoked') throw refuse('SESSION_ALREADY_REVOKED');
  const [onChain = { slot: 0n, state: null }] = await readSessions(deps, owner, [row]);
  switch (sessionStatus(row, onChain, BigInt(Math.floor(deps.nowMs() / 1000)))) {
    case 'revoked':
      throw refuse('SESSION_ALREADY_REVOKED');
    case 'awaiting_owner_signature':
      throw refuse('SESSION_NOT_LIVE');
    default:
      // The node lags: it has not seen the session yet.
      if (onChain.state === null) throw new AppError('RPC_UNAVAILABLE', { reason: 'node lags' });
      return {
        named: { sessionPda: row.sessionPda, sessionIndex: onChain.state.index },
        state: onChain.state,
      };
  }
}
