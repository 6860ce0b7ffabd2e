import {
  type Database,
  isDatabaseFault,
  isRolledBack,
  type SqlTransaction,
} from '@agent-wallet/db';
import { lockWallet } from '@agent-wallet/wallet';
import { type FragmentSqlToken, sql } from 'slonik';
import { createAnnounceSettled } from './announce-settled.ts';
import { type ConfirmedSpend, confirmLandings } from './confirm-landings.ts';
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

/**
 * The transition that a settlement took; null when the row had already got there. `hasQueued`: the
 * session may have a spend that has waited for this one.
 */
export type SettledSpend = {
  readonly spendId: string;
  readonly walletId: string;
  readonly sessionId: string;
  readonly hasQueued: boolean;
  readonly transition:
    | 'confirmed'
    | 'reverted'
    | 'requeued'
    | 'rejected'
    | 'corrected'
    | 'forked_out'
    | null;
};

/** What to do about settlements while the others are written. */
type Handlers = {
  /** Called after each commit; other wallets may still be waiting for a lock. */
  readonly onSettled?: (settled: readonly SettledSpend[]) => Promise<void>;
  /** Called for a settlement that cannot be written; it is tried again later. */
  readonly onFailure: (settlement: Settlement, error: unknown) => void;
  /** Called for settlements whose wallet or database is busy; they should be tried again soon. */
  readonly onBusy?: (settlements: readonly Settlement[], error: unknown) => void;
};

const WALLETS_AT_ONCE = 4;
/** Acceptance holds a wallet for milliseconds. A longer wait must not delay the other wallets. */
const LOCK_WAIT_MS = 500;

/**
 * Writes what became of attempts, each spend with its audit row. The usual landings of a wallet are
 * one SQL transaction, its other outcomes a second one. Wallets are written at the same time and
 * wait for no other's lock. A batch that fails is split, so that one bad row holds up no other.
 * Returns what was written.
 */
export async function settleAttempts(
  db: Database,
  settlements: readonly Settlement[],
  handlers: Handlers,
): Promise<readonly SettledSpend[]> {
  const announce = createAnnounceSettled(db);
  const announced: Promise<void>[] = [];
  const writing: Writing = {
    ...handlers,
    db,
    onCommit: async (written) => {
      announced.push(announce(written.filter(isToAnnounce).map(({ spendId }) => spendId)));
      if (written.length > 0) await handlers.onSettled?.(written);
    },
  };
  const settled: SettledSpend[] = [];
  const groups = groupByWallet(settlements).values();
  const settleNext = async (): Promise<void> => {
    for (const group of groups) settled.push(...(await settleWallet(writing, group)));
  };
  await Promise.all(Array.from({ length: WALLETS_AT_ONCE }, settleNext));
  await Promise.all(announced);
  return settled;
}

function groupByWallet(settlements: readonly Settlement[]): readonly (readonly Settlement[])[] {
  const groups = Map.groupBy(settlements, (settlement) => settlement.walletId);
  return [...groups.values()].map((group) =>
    group.toSorted((a, b) => (a.spendId < b.spendId ? -1 : 1)),
  );
}

type Writing = Handlers & {
  readonly db: Database;
  /** Announces what was committed; the next wallet does not wait for the announcement. */
  readonly onCommit: (written: readonly SettledSpend[]) => Promise<void>;
};

type SettleGroup = (
  writing: Writing,
  group: readonly Settlement[],
) => Promise<readonly SettledSpend[]>;

const settleWallet: SettleGroup = async (writing, group) => {
  const [first] = group;
  if (first === undefined) return [];
  let confirmed: readonly ConfirmedSpend[];
  try {
    const landings = group.filter((settlement) => settlement.kind === 'landed_ok');
    confirmed = await confirmLandings(writing.db, landings, LOCK_WAIT_MS);
  } catch (error) {
    return splitOrReport(writing, group, error, settleWallet);
  }
  const settled = confirmed.map(({ spendId, sessionId, hasQueued }): SettledSpend => ({
    spendId,
    walletId: first.walletId,
    sessionId,
    transition: 'confirmed',
    hasQueued,
  }));
  await writing.onCommit(settled);
  const written = new Set(confirmed.map(keyOf));
  const others = group.filter((settlement) => !written.has(keyOf(settlement)));
  return [...settled, ...(await settleOthers(writing, others))];
};

/** Settles what needs a closer look, one by one, in one SQL transaction. */
const settleOthers: SettleGroup = async (writing, group) => {
  const [first] = group;
  if (first === undefined) return [];
  let settled: readonly SettledSpend[];
  try {
    settled = await writing.db.transaction(async (tx) => {
      await tx.query(sql.unsafe`select set_config('lock_timeout', ${String(LOCK_WAIT_MS)}, true)`);
      await lockWallet(tx, first.walletId);
      const written: SettledSpend[] = [];
      for (const settlement of group) {
        const { spendId, walletId, sessionId } = settlement;
        const transition = await settleOne(tx, settlement);
        // Rare, so its wallet is nudged in any case.
        const hasQueued = transition !== null;
        written.push({ spendId, walletId, sessionId, transition, hasQueued });
      }
      return written;
    });
  } catch (error) {
    return splitOrReport(writing, group, error, settleOthers);
  }
  await writing.onCommit(settled);
  return settled;
};

/**
 * After a fault: what was rolled back because of others may succeed in parts. Any other fault of
 * the database meets each part.
 */
async function splitOrReport(
  writing: Writing,
  group: readonly Settlement[],
  error: unknown,
  settleGroup: SettleGroup,
): Promise<readonly SettledSpend[]> {
  const [first, ...others] = group;
  if (first === undefined) return [];
  const isBusy = isDatabaseFault(error) && (others.length === 0 || !isRolledBack(error));
  if (writing.onBusy !== undefined && isBusy) {
    writing.onBusy(group, error);
    return [];
  }
  if (others.length === 0) {
    writing.onFailure(first, error);
    return [];
  }
  const parts: SettledSpend[] = [];
  for (const one of group) parts.push(...(await settleGroup(writing, [one])));
  return parts;
}

function keyOf({ spendId, attemptNo }: Pick<Settlement, 'spendId' | 'attemptNo'>): string {
  return `${spendId} ${attemptNo}`;
}

function isToAnnounce({ transition }: SettledSpend): boolean {
  return transition !== null && transition !== 'requeued';
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
