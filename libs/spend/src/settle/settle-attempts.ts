import type { Database, SqlTransaction } from '@agent-wallet/db';
import { type FragmentSqlToken, sql } from 'slonik';
import { lockWallet } from '@agent-wallet/wallet';
import { settleExpired, settleNeverLands } from './settle-expired.ts';
import { settleLandedError, settleLandedOk } from './settle-landed.ts';

/** The chain's proof about one attempt. Slots are those of the landing. */
export type Settlement = {
  readonly walletId: string;
  readonly sessionId: string;
  readonly spendId: string;
  readonly attemptNo: number;
  /**
   * Of a failure or an expiry: the proof is the finalized transaction or session account itself.
   * Nothing less takes a confirmation back.
   */
  readonly isFinal?: boolean | undefined;
} & (
  | { readonly kind: 'landed_ok'; readonly signature: string; readonly slot: bigint }
  | {
      readonly kind: 'landed_error';
      readonly signature: string;
      readonly slot: bigint;
      readonly code: string;
      readonly detail: string;
    }
  | { readonly kind: 'expired' }
  | { readonly kind: 'never_lands'; readonly detail: string }
);

/** The transition that a settlement took; null when the row had already got there. */
export type SettledSpend = {
  readonly spendId: string;
  readonly sessionId: string;
  readonly transition:
    | 'confirmed'
    | 'reverted'
    | 'requeued'
    | 'rejected'
    | 'corrected'
    | 'forked_out'
    | null;
};

/**
 * Writes what became of attempts, each spend with its audit row in one SQL transaction per wallet.
 * A batch that fails is split, so that one bad row holds up no other; the error of a single row is
 * passed to `onFailure`, and that row is tried again later.
 */
export async function settleAttempts(
  db: Database,
  settlements: readonly Settlement[],
  onFailure: (settlement: Settlement, error: unknown) => void,
): Promise<readonly SettledSpend[]> {
  const settled: SettledSpend[] = [];
  for (const group of groupByWallet(settlements)) {
    try {
      settled.push(...(await settleGroup(db, group)));
    } catch (error) {
      const [first] = group;
      if (group.length === 1 && first !== undefined) {
        onFailure(first, error);
        continue;
      }
      for (const settlement of group) {
        settled.push(...(await settleAttempts(db, [settlement], onFailure)));
      }
    }
  }
  return settled;
}

function groupByWallet(settlements: readonly Settlement[]): readonly (readonly Settlement[])[] {
  const groups = Map.groupBy(settlements, (settlement) => settlement.walletId);
  return [...groups.values()].map((group) =>
    group.toSorted((a, b) => (a.spendId < b.spendId ? -1 : 1)),
  );
}

async function settleGroup(
  db: Database,
  group: readonly Settlement[],
): Promise<readonly SettledSpend[]> {
  const [first] = group;
  if (first === undefined) return [];
  return db.transaction(async (tx) => {
    await lockWallet(tx, first.walletId);
    const settled: SettledSpend[] = [];
    for (const settlement of group) {
      const transition = await settleOne(tx, settlement);
      settled.push({ spendId: settlement.spendId, sessionId: settlement.sessionId, transition });
    }
    return settled;
  });
}

async function settleOne(
  tx: SqlTransaction,
  settlement: Settlement,
): Promise<SettledSpend['transition']> {
  // The spend's row before its attempts', as everywhere.
  const transition = await settleSpend(tx, settlement);
  await closeAttempts(tx, settlement);
  return transition;
}

async function settleSpend(
  tx: SqlTransaction,
  settlement: Settlement,
): Promise<SettledSpend['transition']> {
  switch (settlement.kind) {
    case 'landed_ok':
      return settleLandedOk(tx, settlement);
    case 'landed_error':
      return settleLandedError(tx, settlement);
    case 'expired':
      return settleExpired(tx, settlement);
    case 'never_lands':
      return settleNeverLands(tx, settlement, settlement.detail);
  }
}

/** Stores the fate of the attempt that was watched, which ends its watch. */
async function closeAttempts(tx: SqlTransaction, settlement: Settlement): Promise<void> {
  await tx.query(sql.unsafe`
    with closed as (
      update attempt ${fateOf(settlement)}
      returning attempt.spend_id, attempt.attempt
    )
    delete from attempt_watch as watch using closed
    where watch.spend_id = closed.spend_id and watch.attempt = closed.attempt
  `);
}

/** SQL: what to set in which attempts. */
function fateOf(settlement: Settlement): FragmentSqlToken {
  const { spendId, attemptNo } = settlement;
  switch (settlement.kind) {
    // The landing may be another attempt's than the watched one, which then never lands. A
    // facilitator's payment has one attempt, under the signature that the chain shows.
    case 'landed_ok':
      return sql.fragment`
        set state = case when spend.broadcaster = 'facilitator'
            or attempt.signature = ${settlement.signature} then 'landed' else 'expired' end,
          signature = case spend.broadcaster
            when 'facilitator' then ${settlement.signature} else attempt.signature end,
          settled_slot = ${settlement.slot}
        from spend
        where spend.spend_id = attempt.spend_id and attempt.spend_id = ${spendId}::uuid
          and (attempt.attempt = ${attemptNo} or attempt.signature = ${settlement.signature})
      `;
    case 'landed_error':
      return sql.fragment`
        set state = 'landed_error', signature = coalesce(signature, ${settlement.signature}),
          settled_slot = ${settlement.slot}
        where spend_id = ${spendId}::uuid and attempt = ${attemptNo}
      `;
    case 'expired':
    case 'never_lands':
      return sql.fragment`
        set state = 'expired', settled_slot = null
        where spend_id = ${spendId}::uuid and attempt = ${attemptNo}
      `;
  }
}
