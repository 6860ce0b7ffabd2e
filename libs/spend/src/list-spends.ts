import { createdWithin, type Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { type Spend, spendColumns, type SpendKind, spendRow } from './spend.ts';

type SpendPage = {
  readonly walletId: string;
  /** Only spends of this session of the wallet. */
  readonly sessionId?: string | undefined;
  /** Only spends whose outcome is open, that landed and succeeded, or that were refused. */
  readonly outcome?: keyof typeof OF_OUTCOME | undefined;
  readonly kind?: SpendKind | undefined;
  /** Spends accepted at this time or later. */
  readonly from?: Date | undefined;
  /** Spends accepted before this time. */
  readonly to?: Date | undefined;
  /** Spends older than this one, which belongs to the wallet; the newest when absent. */
  readonly beforeId?: string | undefined;
  readonly limit: number;
};

/** Reads a page of a wallet's or a session's spends, newest first. */
export async function listSpends(db: Database, page: SpendPage): Promise<readonly Spend[]> {
  const { kind = null, limit } = page;
  return db.any(sql.type(spendRow)`
    select ${spendColumns} from spend
    where ${sql.join(placesOf(page), sql.fragment` and `)}
      and (${kind}::text is null or kind = ${kind}::text)
    order by created_at desc, accepted_no desc
    limit ${limit}
  `);
}

/** Only the conditions that apply: behind `is null or`, a kept plan uses no index for them. */
function placesOf({ walletId, sessionId, outcome, from, to, beforeId }: SpendPage) {
  const places = [sql.fragment`wallet_id = ${walletId}::uuid`, ...createdWithin({ from, to })];
  if (sessionId !== undefined) places.push(sql.fragment`session_id = ${sessionId}::uuid`);
  if (outcome !== undefined) places.push(OF_OUTCOME[outcome]);
  if (beforeId !== undefined) {
    places.push(sql.fragment`(created_at, accepted_no) < (
      select last.created_at, last.accepted_no from spend last
      where last.spend_id = ${beforeId}::uuid and last.wallet_id = ${walletId}::uuid)`);
  }
  return places;
}

const OF_OUTCOME = {
  pending: sql.fragment`settled_at is null`,
  confirmed: sql.fragment`status in ('confirmed', 'finalized')`,
  rejected: sql.fragment`status in ('reverted', 'rejected')`,
} as const;
