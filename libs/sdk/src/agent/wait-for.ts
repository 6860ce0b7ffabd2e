import { errorRowOf, isRefusalName } from '@agent-wallet/contract';
import { AgentWalletError, codeOf } from '../http/agent-wallet-error.ts';
import type { Clock, TimeLimit } from '../http/time-limit.ts';
import type { ConfirmedSpend, Spend } from './replies.ts';

const POLL_MS = 1_000;

/** Waits until a spend is confirmed; see {@link waitForSpend}. */
export type WaitFor = (
  spend: { readonly spendId: string; readonly idempotencyKey: string | null },
  limit: TimeLimit,
) => Promise<ConfirmedSpend>;

/**
 * Reads a spend until its outcome is known. Throws an `AgentWalletError` with the code of the
 * refusal if it was rejected, and `PENDING` when the time limit ends first.
 */
export async function waitForSpend(
  spend: { readonly spendId: string; readonly idempotencyKey: string | null },
  deps: {
    readonly readSpend: (id: string) => Promise<Spend>;
    readonly clock: Clock;
    readonly limit: TimeLimit;
  },
): Promise<ConfirmedSpend> {
  const { spendId, idempotencyKey } = spend;
  const { readSpend, clock, limit } = deps;
  for (;;) {
    const seen = await readSpend(spendId);
    const { status, tx_signature } = seen;
    if (status === 'confirmed' && tx_signature !== null) return { ...seen, status, tx_signature };
    if (status === 'rejected') throw errorOfSpend(seen);
    if (limit.remainingMs() <= POLL_MS) throw stillPending(spendId, idempotencyKey);
    await clock.sleep(POLL_MS, limit.signal);
  }
}

/** The outcome of a spend was not known within the time limit. */
export function stillPending(spendId: string, idempotencyKey: string | null): AgentWalletError {
  return new AgentWalletError({
    code: 'PENDING',
    error: `the outcome of spend ${spendId} is not known yet`,
    retryable: true,
    remedy: 'read the spend again later; do not pay under another idempotencyKey before',
    details: { spend_id: spendId },
    idempotencyKey,
  });
}

/** The row of a rejected spend has the code of its refusal, but not its status. */
function errorOfSpend(spend: Spend): AgentWalletError {
  const { error, code: sentCode, detail, spend_id, tx_signature } = spend;
  const text = error ?? 'rejected';
  const code = codeOf(sentCode ?? '', text);
  const row = errorRowOf(isRefusalName(code) ? code : 'PROGRAM');
  return new AgentWalletError({
    code,
    sentCode: sentCode ?? code,
    error: text,
    status: row.status,
    layer: row.layer ?? 'off-chain',
    retryable: row.retryable ?? false,
    remedy: row.remedy,
    detail: detail ?? undefined,
    details: { spend_id, ...(tx_signature === null ? {} : { tx_signature }) },
  });
}
