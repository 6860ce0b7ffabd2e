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

/** What an agent asks for, after every off-chain rule but liquidity has passed. */
export type NewSpend = {
  readonly spendId: string;
  readonly walletId: string;
  readonly sessionId: string;
  readonly kind: SpendKind;
  readonly amount: bigint;
  /** 0 for a spend that the chain's limits already doom: it must not starve other sessions. */
  readonly reserved: bigint;
  readonly recipient: string | null;
  readonly url: string | null;
  /** Of a standard x402 payment: who pays the fee and sends, and what the memo must say. */
  readonly facilitator?: Facilitator;
  /** What the payment buys, delivered by us once it can be shown. */
  readonly delivery?: NewDelivery;
  readonly idempotencyKey: string | null;
  readonly requestDigest: Buffer | null;
  /** The vault's liquid balance and the slot it was read at; null where liquidity is not asked. */
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
 * Records the ask as a queued spend in one SQL transaction that holds the wallet row, so that two
 * asks never share the same base units. Everything but 'accepted' writes nothing.
 */
export async function acceptSpend(db: Database, asked: NewSpend): Promise<AcceptOutcome> {
  // What Postgres has rolled back itself (a deadlock, a serialization failure) left nothing behind,
  // and nothing in here reaches outside: it may run again.
  return db.transaction((tx) => acceptLocked(tx, asked), ROLLED_BACK_RETRIES);
}

async function acceptLocked(tx: SqlTransaction, asked: NewSpend): Promise<AcceptOutcome> {
  await lockWallet(tx, asked.walletId);
  const winner = await findWinner(tx, asked);
  if (winner !== null) return winner;
  if (!(await isAcceptingSpends(tx))) return { kind: 'intake_closed' };
  if (!(await keystoreFits(tx))) return { kind: 'no_keystore' };
  if (await isFull(tx, asked)) return { kind: 'too_many_pending' };
  const usedUp = await readUsedUp(tx, asked.sessionId, asked.budgets ?? BUDGETS);
  if (usedUp !== null) return { kind: 'over_budget', ...usedUp };
  if (asked.balance !== null) {
    const { amount: liquid, slot } = asked.balance;
    const { wallet: reserved } = await sumReserved(tx, { ...asked, slot });
    const tooMuch = asked.amount > liquid;
    const taken = asked.reserved > 0n && asked.amount > liquid - reserved;
    if (tooMuch || taken) return { kind: 'insufficient', liquid, reserved };
  }
  const spend = await insertSpend(tx, { ...asked, spendId: await freeSpendId(tx, asked) });
  return { kind: 'accepted', spend };
}

async function findWinner(tx: SqlTransaction, asked: NewSpend): Promise<AcceptOutcome | null> {
  if (asked.idempotencyKey === null) return null;
  const known = await findByIdempotencyKey(tx, asked.sessionId, asked.idempotencyKey);
  if (known === null) return null;
  if (asked.requestDigest === null || !known.requestDigest.equals(asked.requestDigest)) {
    return { kind: 'key_reused' };
  }
  return { kind: 'existing', spend: known.spend };
}

/** Every queue has a bound: an agent that asks faster than the chain settles is told so. */
async function isFull(tx: SqlTransaction, asked: NewSpend): Promise<boolean> {
  const limits = asked.pendingLimits ?? PENDING_LIMITS;
  const pending = await tx.one(sql.type(z.object({ session: z.number(), wallet: z.number() }))`
    select count(*) filter (where session_id = ${asked.sessionId}::uuid)::int as session,
      count(*)::int as wallet
    from spend
    where wallet_id = ${asked.walletId}::uuid and status in ('queued', 'in_flight')
  `);
  return pending.session >= limits.session || pending.wallet >= limits.wallet;
}

const takenRow = z.object({ spendId: z.string(), isSameLanding: z.boolean() });

/**
 * A keyed ask whose earlier row was refused unsent has freed its key, but that row stays in the
 * log under the id that follows from the key. The new ask then gets the next id under that key. Where
 * a restored database finds the landing of such an ask without its row, the ask is that one.
 */
async function freeSpendId(tx: SqlTransaction, asked: NewSpend): Promise<string> {
  if (asked.idempotencyKey === null) return asked.spendId;
  const { least, most } = retryIdsOf(asked.spendId);
  const taken = await tx.any(sql.type(takenRow)`
    select spend_id as "spendId", false as "isSameLanding" from spend
    where spend_id between ${least}::uuid and ${most}::uuid
    union all
    select spend_id, coalesce(data ->> 'amount', '') = ${asked.amount.toString()}
      and coalesce(data ->> 'recipient', ${asked.recipient}) is not distinct from ${asked.recipient}
      and not exists (select 1 from spend where spend.spend_id = program_event.spend_id)
    from program_event
    where spend_id between ${least}::uuid and ${most}::uuid
  `);
  const landed = taken.find(({ isSameLanding }) => isSameLanding);
  if (landed !== undefined) return landed.spendId;
  const ids = new Set(taken.map(({ spendId }) => spendId));
  let free = asked.spendId;
  while (ids.has(free)) free = nextRetryId(free);
  return free;
}

async function insertSpend(tx: SqlTransaction, asked: NewSpend): Promise<Spend> {
  const spend = await tx.one(sql.type(spendRow)`
    insert into spend (
      spend_id, wallet_id, session_id, kind, amount, reserved, recipient, url, broadcaster,
      facilitator_fee_payer, facilitator_memo, idempotency_key, request_digest, not_after)
    values (
      ${asked.spendId}::uuid, ${asked.walletId}::uuid, ${asked.sessionId}::uuid, ${asked.kind},
      ${asked.amount.toString()}::numeric, ${asked.reserved.toString()}::numeric,
      ${asked.recipient}, ${asked.url},
      ${asked.facilitator === undefined ? 'worker' : 'facilitator'},
      ${asked.facilitator?.feePayer ?? null}, ${asked.facilitator?.memo ?? null},
      ${asked.idempotencyKey},
      ${asked.requestDigest === null ? null : sql.binary(asked.requestDigest)},
      now() + ${asked.notAfterMs} * interval '1 millisecond')
    returning ${spendColumns}
  `);
  if (asked.delivery !== undefined) await insertDelivery(tx, spend, asked.delivery);
  // A restored database may have met the landing of this very spend before it was asked for again.
  await tx.query(sql.unsafe`
    update program_event set reconcile_at = now() where spend_id = ${spend.spendId}::uuid
  `);
  return spend;
}
