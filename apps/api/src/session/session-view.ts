import { type SessionAnswer, toAmountOut } from '@agent-wallet/contract';
import type { SessionState } from '@agent-wallet/chain';
import {
  countedBuckets,
  countedSpend,
  emptySpendWindow,
  resetsAt,
  windowStart,
} from '@agent-wallet/policy';
import type { SessionRow } from '@agent-wallet/wallet';

/** The account of a session, read at `slot`; `state` is null when it does not exist. */
export type SessionOnChain = { readonly slot: bigint; readonly state: SessionState | null };

/** The status by the account on chain; the row decides only where the read may be older. */
export function sessionStatus(
  row: SessionRow,
  onChain: SessionOnChain,
  nowSeconds: bigint,
): SessionAnswer['status'] {
  if (row.status === 'revoked') return 'revoked';
  if (onChain.state !== null) return nowSeconds > onChain.state.expiry ? 'expired' : 'live';
  if (row.status === 'awaiting_owner_signature') return 'awaiting_owner_signature';
  // Revoked, unless the node lags behind the slot at which the session was created.
  if (row.liveSlot === null || onChain.slot >= row.liveSlot) return 'revoked';
  return nowSeconds > row.expiry ? 'expired' : 'live';
}

/** The session as returned to its owner, with the rolling window computed at `nowSeconds`. */
export function describeSession(
  row: SessionRow,
  onChain: SessionOnChain,
  nowSeconds: bigint,
): SessionAnswer {
  const { state } = onChain;
  const window = state?.window ?? emptySpendWindow();
  const dailyCap = state?.dailyCap ?? row.dailyCap;
  const spent = countedSpend(window, nowSeconds);
  const resets = resetsAt(window, nowSeconds);
  const index = state?.index ?? row.sessionIndex;
  return {
    session_id: row.sessionId,
    session_pda: row.sessionPda,
    wallet_id: row.walletId,
    session_pubkey: row.sessionPubkey,
    session_index: index === null ? null : index.toString(),
    status: sessionStatus(row, onChain, nowSeconds),
    max_per_tx: toAmountOut(state?.maxPerTx ?? row.maxPerTx),
    daily_cap: toAmountOut(dailyCap),
    daily_spent: toAmountOut(spent),
    daily_remaining: toAmountOut(dailyCap > spent ? dailyCap - spent : 0n),
    daily_window_start: Number(windowStart(window, nowSeconds)),
    daily_resets_at: resets === null ? null : Number(resets),
    daily_spent_by_hour: countedBuckets(window, nowSeconds).map(({ startSeconds, amount }) => ({
      hour: Number(startSeconds),
      amount: toAmountOut(amount),
    })),
    expiry: Number(state?.expiry ?? row.expiry),
    allowed_recipients: [...(state?.recipients ?? row.allowedRecipients)],
    allowed_instructions: state?.allowedInstructions ?? row.allowedInstructions,
    key_prefix: row.keyPrefix,
    created_at: row.createdAt.toISOString(),
  };
}
