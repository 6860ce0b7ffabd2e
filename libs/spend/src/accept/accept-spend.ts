import type { Database, SqlTransaction } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';
import type { NewDelivery } from '../delivery/delivery.ts';
import { insertDelivery } from '../delivery/insert-delivery.ts';
import { type Spend, spendColumns, type SpendKind, spendRow } from '../spend.ts';
import { nextRetryId, retryIdsOf } from '../spend-id.ts';
import { findByIdempotencyKey } from './find-by-idempotency-key.ts';
import { isAcceptingSpends } from './is-accepting-spends.ts';
import { keystoreFits } from './keystore-fits.ts';
import { lockWallet } from '@agent-wallet/wallet';
import { type Budgets, readUsedUp, type UsedUp } from './read-budget.ts';
import { sumReserved } from './sum-reserved.ts';

/** A requested spend that has passed every off-chain rule but liquidity. */
export type NewSpend = {
  readonly spendId: string;
  readonly walletId: string;
  readonly sessionId: string;
  readonly kind: SpendKind;
  readonly amount: bigint;
  /** 0 for a spend with a predicted refusal: it must not starve other sessions. */
  readonly reserved: bigint;
  readonly recipient: string | null;
  readonly url: string | null;
  /** Of a standard x402 payment: who pays the fee and sends, and what the memo must say. */
  readonly facilitator?: Facilitator;
  /** What the payment buys, delivered by us once it can be shown. */
  readonly delivery?: NewDelivery;
  readonly idempotencyKey: string | null;
  readonly requestDigest: Buffer | null;
  /** The vault's liquid balance and the slot of its read; null where liquidity does not matter. */
  readonly balance: { readonly amount: bigint; readonly slot: bigint } | null;
  /** Bounds the wait for the first claim, from now. */
  readonly notAfterMs: number;
  /** How many spends of the session and of the wallet may be open at once. */
  readonly pendingLimits?: PendingLimits;
  /** What the session may cost the fee payers. */
  readonly budgets?: Budgets;
};

/** `memo` null: the spend's own id. */
export type Facilitator = { readonly feePayer: string; readonly memo: string | null };

export type PendingLimits = { readonly session: number; readonly wallet: number };

const ROLLED_BACK_RETRIES = 3;
const PENDING_LIMITS: PendingLimits = { session: 256, wallet: 2_048 };
const BUDGETS: Budgets = { lamportsPerDay: 200_000_000n, revertsPerDay: 100 };

export type AcceptOutcome =
  | { readonly kind: 'accepted'; readonly spend: Spend }
  | { readonly kind: 'existing'; readonly spend: Spend }
  | { readonly kind: 'key_reused' }
  | { readonly kind: 'too_many_pending' }
  | { readonly kind: 'intake_closed' }
  | { readonly kind: 'no_keystore' }
  | ({ readonly kind: 'over_budget' } & UsedUp)
  | { readonly kind: 'insufficient'; readonly liquid: bigint; readonly reserved: bigint };

/**
 * Records the request as a queued spend in one SQL transaction that holds the wallet row, so that
 * two requests never share the same base units. Any outcome but 'accepted' writes nothing.
 */
export async function acceptSpend(db: Database, wanted: NewSpend): Promise<AcceptOutcome> {
  // A transaction that Postgres rolled back (a deadlock, a serialization failure) left nothing
  // behind, and this one has no effect outside the database: it may run again.
  return db.transaction((tx) => acceptLocked(tx, wanted), ROLLED_BACK_RETRIES);
}

async function acceptLocked(tx: SqlTransaction, wanted: NewSpend): Promise<AcceptOutcome> {
  await lockWallet(tx, wanted.walletId);
  const winner = await findWinner(tx, wanted);
  if (winner !== null) return winner;
  if (!(await isAcceptingSpends(tx))) return { kind: 'intake_closed' };
  if (!(await keystoreFits(tx))) return { kind: 'no_keystore' };
  if (await isFull(tx, wanted)) return { kind: 'too_many_pending' };
  const usedUp = await readUsedUp(tx, wanted.sessionId, wanted.budgets ?? BUDGETS);
  if (usedUp !== null) return { kind: 'over_budget', ...usedUp };
  if (wanted.balance !== null) {
    const { amount: liquid, slot } = wanted.balance;
    const { wallet: reserved } = await sumReserved(tx, { ...wanted, slot });
    const tooMuch = wanted.amount > liquid;
    const taken = wanted.reserved > 0n && wanted.amount > liquid - reserved;
    if (tooMuch || taken) return { kind: 'insufficient', liquid, reserved };
  }
  const spend = await insertSpend(tx, { ...wanted, spendId: await freeSpendId(tx, wanted) });
  return { kind: 'accepted', spend };
}

async function findWinner(tx: SqlTransaction, wanted: NewSpend): Promise<AcceptOutcome | null> {
  if (wanted.idempotencyKey === null) return null;
  const known = await findByIdempotencyKey(tx, wanted.sessionId, wanted.idempotencyKey);
  if (known === null) return null;
  if (wanted.requestDigest === null || !known.requestDigest.equals(wanted.requestDigest)) {
    return { kind: 'key_reused' };
  }
  return { kind: 'existing', spend: known.spend };
}

/** Every queue has a bound: requests that come faster than the chain settles are refused. */
async function isFull(tx: SqlTransaction, wanted: NewSpend): Promise<boolean> {
  const limits = wanted.pendingLimits ?? PENDING_LIMITS;
  const pending = await tx.one(sql.type(z.object({ session: z.number(), wallet: z.number() }))`
    select count(*) filter (where session_id = ${wanted.sessionId}::uuid)::int as session,
      count(*)::int as wallet
    from spend
    where wallet_id = ${wanted.walletId}::uuid and settled_at is null
  `);
  return pending.session >= limits.session || pending.wallet >= limits.wallet;
}

const takenRow = z.object({ spendId: z.string(), isSameLanding: z.boolean() });

/**
 * A row that was refused unsent has freed its key, but stays under the id that follows from the
 * key. The next request under that key gets the next retry ordinal. Where a restored database has
 * the landing of such a request without its row, the request gets the id of that landing.
 */
async function freeSpendId(tx: SqlTransaction, wanted: NewSpend): Promise<string> {
  if (wanted.idempotencyKey === null) return wanted.spendId;
  const { least, most } = retryIdsOf(wanted.spendId);
  const taken = await tx.any(sql.type(takenRow)`
    select spend_id as "spendId", false as "isSameLanding" from spend
    where spend_id between ${least}::uuid and ${most}::uuid
    union all
    select spend_id, coalesce(data ->> 'amount', '') = ${wanted.amount.toString()}
      and coalesce(data ->> 'recipient', ${wanted.recipient}) is not distinct from ${wanted.recipient}
      and not exists (select 1 from spend where spend.spend_id = program_event.spend_id)
    from program_event
    where spend_id between ${least}::uuid and ${most}::uuid
  `);
  const landed = taken.find(({ isSameLanding }) => isSameLanding);
  if (landed !== undefined) return landed.spendId;
  const ids = new Set(taken.map(({ spendId }) => spendId));
  let free = wanted.spendId;
  while (ids.has(free)) free = nextRetryId(free);
  return free;
}

async function insertSpend(tx: SqlTransaction, wanted: NewSpend): Promise<Spend> {
  const spend = await tx.one(sql.type(spendRow)`
    insert into spend (
      spend_id, wallet_id, session_id, kind, amount, reserved, recipient, url, broadcaster,
      facilitator_fee_payer, facilitator_memo, idempotency_key, request_digest, not_after)
    values (
      ${wanted.spendId}::uuid, ${wanted.walletId}::uuid, ${wanted.sessionId}::uuid, ${wanted.kind},
      ${wanted.amount.toString()}::numeric, ${wanted.reserved.toString()}::numeric,
      ${wanted.recipient}, ${wanted.url},
      ${wanted.facilitator === undefined ? 'worker' : 'facilitator'},
      ${wanted.facilitator?.feePayer ?? null}, ${wanted.facilitator?.memo ?? null},
      ${wanted.idempotencyKey},
      ${wanted.requestDigest === null ? null : sql.binary(wanted.requestDigest)},
      now() + ${wanted.notAfterMs} * interval '1 millisecond')
    returning ${spendColumns}
  `);
  if (wanted.delivery !== undefined) await insertDelivery(tx, spend, wanted.delivery);
  // A restored database may have seen the landing of this spend before its request came again.
  await tx.query(sql.unsafe`
    update program_event set reconcile_at = now() where spend_id = ${spend.spendId}::uuid
  `);
  return spend;
}
