import { type Database, retryRolledBack, retryWhileHeld } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';
import type { NewDelivery } from '../delivery/delivery.ts';
import { type Spend, spendColumns, type SpendKind, spendRow } from '../spend.ts';

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

/** What one session may cost: lamports of fees on a day of UTC, reverted spends in 24 hours. */
export type Budgets = { readonly lamportsPerDay: bigint; readonly revertsPerDay: number };

/** A budget that is used up, and when there is room again. */
export type UsedUp = { readonly budget: 'fees' | 'reverts'; readonly retryAfterSeconds: number };

const PENDING_LIMITS: PendingLimits = { session: 256, wallet: 2_048 };
const BUDGETS: Budgets = { lamportsPerDay: 200_000_000n, revertsPerDay: 100 };

export type AcceptOutcome =
  | { readonly kind: 'accepted'; readonly spend: Spend }
  | { readonly kind: 'existing'; readonly spend: Spend }
  | { readonly kind: 'key_reused' }
  | { readonly kind: 'too_many_pending' }
  /** Of payments that the agent itself gives to a facilitator. */
  | { readonly kind: 'too_many_handed_out' }
  | { readonly kind: 'intake_closed' }
  | { readonly kind: 'no_keystore' }
  | ({ readonly kind: 'over_budget' } & UsedUp)
  | { readonly kind: 'insufficient'; readonly liquid: bigint; readonly reserved: bigint };

const outcomeRow = z.discriminatedUnion('outcome', [
  spendRow.extend({ outcome: z.literal(['accepted', 'existing']) }),
  z.object({
    outcome: z.literal([
      'key_reused',
      'too_many_pending',
      'too_many_handed_out',
      'intake_closed',
      'no_keystore',
    ]),
  }),
  z.object({
    outcome: z.literal('over_budget'),
    budget: z.enum(['fees', 'reverts']),
    retryAfterSeconds: z.number(),
  }),
  z.object({ outcome: z.literal('insufficient'), reservedNow: z.bigint() }),
]);

/**
 * Records the request as a queued spend in one SQL transaction that holds the wallet row, so that
 * two requests never share the same base units. Any outcome but 'accepted' writes nothing.
 */
export async function acceptSpend(db: Database, wanted: NewSpend): Promise<AcceptOutcome> {
  const [outcome] = await acceptSpends(db, wanted.walletId, [wanted]);
  if (outcome === undefined) throw new Error('the request has no outcome');
  return outcome;
}

/**
 * The same for several requests of one wallet, in their order and in one SQL transaction: a fault
 * of one is a fault of all. Returns their outcomes in the same order. The rules are in the function
 * `accept_spends` of the database, so that they take one round trip. Throws Postgres' 55P03 while
 * another SQL transaction holds the wallet for more than 3 s.
 */
export async function acceptSpends(
  db: Database,
  walletId: string,
  wanted: readonly NewSpend[],
): Promise<readonly AcceptOutcome[]> {
  const requests = JSON.stringify(wanted.map(requestOf));
  const run = () =>
    db.any(sql.type(outcomeRow)`
      select outcome, used_up as budget, retry_after_seconds as "retryAfterSeconds",
        reserved_now as "reservedNow", ${spendColumns}
      from accept_spends(${walletId}::uuid, ${requests}::jsonb) as decided,
        lateral (select (decided.known).*) as spend
    `);
  const rows = await retryWhileHeld(() => retryRolledBack(run));
  return rows.map((row, place) => outcomeOf(row, wanted[place]));
}

function outcomeOf(row: z.output<typeof outcomeRow>, wanted: NewSpend | undefined): AcceptOutcome {
  switch (row.outcome) {
    case 'accepted':
    case 'existing': {
      const { outcome: kind, ...spend } = row;
      return { kind, spend };
    }
    case 'over_budget': {
      const { budget, retryAfterSeconds } = row;
      return { kind: 'over_budget', budget, retryAfterSeconds };
    }
    case 'insufficient':
      return {
        kind: 'insufficient',
        liquid: wanted?.balance?.amount ?? 0n,
        reserved: row.reservedNow,
      };
    default:
      return { kind: row.outcome };
  }
}

/** A request with the names of `accept_spends`. JSON.stringify drops no digit of a text. */
function requestOf(wanted: NewSpend): Readonly<Record<string, unknown>> {
  const limits = wanted.pendingLimits ?? PENDING_LIMITS;
  const budgets = wanted.budgets ?? BUDGETS;
  return {
    spend_id: wanted.spendId,
    session_id: wanted.sessionId,
    kind: wanted.kind,
    amount: wanted.amount.toString(),
    reserved: wanted.reserved.toString(),
    recipient: wanted.recipient,
    url: wanted.url?.toWellFormed() ?? null,
    broadcaster: wanted.facilitator === undefined ? 'worker' : 'facilitator',
    fee_payer: wanted.facilitator?.feePayer ?? null,
    memo: wanted.facilitator?.memo?.toWellFormed() ?? null,
    idempotency_key: wanted.idempotencyKey,
    request_digest: hexOf(wanted.requestDigest),
    liquid: wanted.balance?.amount.toString() ?? null,
    liquid_slot: wanted.balance?.slot.toString() ?? null,
    not_after_ms: wanted.notAfterMs,
    session_limit: limits.session,
    wallet_limit: limits.wallet,
    lamports_per_day: budgets.lamportsPerDay.toString(),
    reverts_per_day: budgets.revertsPerDay,
    delivery: wanted.delivery === undefined ? null : boughtOf(wanted.delivery),
  };
}

function boughtOf({ body, ...delivery }: NewDelivery): Readonly<Record<string, unknown>> {
  return {
    ...delivery,
    requirement: delivery.requirement.toWellFormed(),
    resource: delivery.resource?.toWellFormed() ?? null,
    body: body?.toString('base64') ?? null,
  };
}

const hexOf = (bytes: Buffer | null): string | null =>
  bytes === null ? null : `\\x${bytes.toString('hex')}`;
