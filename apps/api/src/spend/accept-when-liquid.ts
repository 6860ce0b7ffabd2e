import { withdrawableOf } from '@agent-wallet/chain';
import { type Database, isDatabaseFault } from '@agent-wallet/db';
import {
  type AcceptOutcome,
  acceptSpend,
  type NewSpend,
  type Budgets,
  type Facilitator,
  findByIdempotencyKey,
  findSpends,
  type NewDelivery,
  type PendingLimits,
  type Spend,
  type SpendKind,
  spendIdFor,
} from '@agent-wallet/spend';
import type { Agent } from '@agent-wallet/wallet';
import type { ChainAccess, PositionFacts, WalletFacts } from '../chain/chain-access.ts';
import { refuse } from '../http/http-refusal.ts';
import type { OutcomeWaiter } from './outcome-waiter.ts';
import { hasPredictedRefusal } from './predicted-refusal.ts';
import { listPendingIds } from './spend-store.ts';
import type { PerWalletLimit } from './per-wallet-limit.ts';

/** What an agent wants to happen. Amounts in base units. */
export type Wish = {
  readonly agent: Agent;
  readonly kind: SpendKind;
  readonly amount: bigint;
  readonly recipient: string | null;
  readonly url: string | null;
  readonly idempotencyKey: string | null;
  /** What makes two asks under one key the same ask. */
  readonly digest: Buffer;
  readonly facilitator?: Facilitator;
  readonly delivery?: NewDelivery;
};

/** What spending asks of the chain. */
type SpendChain = Pick<ChainAccess, 'readWallet' | 'readPosition' | 'yieldReserve'>;

/** Why nothing was accepted. `deployed` and `available` in base units. */
export type LiquidOutcome =
  | Exclude<AcceptOutcome, { readonly kind: 'insufficient' }>
  | (Extract<AcceptOutcome, { readonly kind: 'insufficient' }> & { readonly deployed: bigint })
  | { readonly kind: 'partial_liquidity'; readonly available: bigint };

/** What acceptance needs; `limitPerWallet` is shared by every acceptance of this process. */
export type AcceptDeps = {
  readonly db: Database;
  readonly chain: SpendChain;
  readonly waiter: OutcomeWaiter;
  readonly pendingLimits: PendingLimits;
  readonly budgets: Budgets;
  readonly limitPerWallet: PerWalletLimit;
  readonly nowMs: () => number;
};

/** A queued spend that no lane took by then is refused unsent. */
const NOT_AFTER_MS = 60_000;
/** How long reserved money may take to come free before the ask is refused. */
const LIQUIDITY_WAIT_MS = 2_000;
/** With nothing open, what is missing is a newer balance: about one slot. */
const NEXT_SLOT_MS = 400;
const LIQUIDITY_LOOKS = 8;
const PENDING_WATCHED = 100;

/**
 * Accepts the ask, or tells what is missing. Where the balance would do and only reservations
 * stand in the way, the wallet's next settlements are awaited for a moment, without any lock.
 */
export async function acceptWhenLiquid(deps: AcceptDeps, ask: Wish): Promise<LiquidOutcome> {
  const deadlineMs = deps.nowMs() + LIQUIDITY_WAIT_MS;
  let outcome = await acceptOnce(deps, ask);
  for (let look = 1; look < LIQUIDITY_LOOKS; look += 1) {
    const remainingMs = deadlineMs - deps.nowMs();
    const mayComeFree = outcome.kind === 'insufficient' && ask.amount <= outcome.liquid;
    if (!mayComeFree || remainingMs <= 0) return outcome;
    const pending = await listPendingIds(deps.db, ask.agent.walletId, PENDING_WATCHED);
    const waitMs = pending.length === 0 ? Math.min(NEXT_SLOT_MS, remainingMs) : remainingMs;
    await deps.waiter.awaitAny(pending, waitMs);
    outcome = await acceptOnce(deps, ask);
  }
  return outcome;
}

async function acceptOnce(deps: AcceptDeps, ask: Wish): Promise<LiquidOutcome> {
  const { agent, kind, amount, recipient, url, idempotencyKey } = ask;
  const isWithdrawal = kind === 'yield_withdraw';
  const read = isWithdrawal ? deps.chain.readPosition : deps.chain.readWallet;
  const facts = await read(agent, [agent.sessionPda]);
  const available = whatIsAvailable(facts, ask);
  if (available !== null) return { kind: 'partial_liquidity', available };
  const nowSeconds = BigInt(Math.floor(deps.nowMs() / 1000));
  const asked: NewSpend = {
    spendId: spendIdFor(agent.sessionId, idempotencyKey),
    walletId: agent.walletId,
    sessionId: agent.sessionId,
    kind,
    amount,
    reserved: isWithdrawal || hasPredictedRefusal(facts, ask, nowSeconds) ? 0n : amount,
    recipient,
    url,
    idempotencyKey,
    requestDigest: idempotencyKey === null ? null : ask.digest,
    balance: isWithdrawal ? null : { amount: facts.liquid, slot: facts.slot },
    notAfterMs: NOT_AFTER_MS,
    pendingLimits: deps.pendingLimits,
    budgets: deps.budgets,
    ...(ask.facilitator === undefined ? {} : { facilitator: ask.facilitator }),
    ...(ask.delivery === undefined ? {} : { delivery: ask.delivery }),
  };
  const outcome = await deps.limitPerWallet(agent.walletId, () => acceptOrFind(deps.db, asked));
  if (outcome.kind !== 'insufficient') return outcome;
  return { ...outcome, deployed: facts.vault?.deployedAmount ?? 0n };
}

/** What a withdrawal could ask for where the reserve lacks what it asks; null where it does not. */
export function whatIsAvailable(
  facts: WalletFacts | PositionFacts,
  ask: Pick<Wish, 'kind' | 'amount'>,
): bigint | null {
  if (ask.kind !== 'yield_withdraw' || !('yield' in facts) || facts.yield === null) return null;
  const deployed = facts.vault?.deployedAmount ?? 0n;
  // More than is deployed is for the chain to refuse.
  if (ask.amount > deployed) return null;
  const { reserve, collateral } = facts.yield;
  const available = withdrawableOf(reserve, collateral, deployed);
  return ask.amount > available ? available : null;
}

/**
 * A connection that breaks during the commit leaves open whether the spend was accepted, and a
 * caller who is told "unavailable" would ask, and pay, again. So the row is looked for; where it
 * does not show, which may only mean not yet, the refusal names the id under which it would be.
 */
async function acceptOrFind(db: Database, asked: NewSpend): Promise<AcceptOutcome> {
  try {
    return await acceptSpend(db, asked);
  } catch (error) {
    if (!isDatabaseFault(error)) throw error;
    const spend = await findAccepted(db, asked).catch(() => null);
    if (spend !== null) return { kind: 'accepted', spend };
    if (asked.idempotencyKey !== null) {
      const remedy = 'ask again with the same Idempotency-Key: it is never paid twice';
      throw refuse('DATABASE_UNAVAILABLE', { remedy }, { cause: error });
    }
    const remedy = 'look at GET /v1/spend/{spend_id} before asking again';
    const fields = { spend_id: asked.spendId, remedy };
    throw refuse('DATABASE_UNAVAILABLE', fields, { cause: error });
  }
}

/** By its key where there is one: an earlier ask under that key may have left its id behind. */
async function findAccepted(db: Database, asked: NewSpend): Promise<Spend | null> {
  const { sessionId, idempotencyKey, spendId } = asked;
  if (idempotencyKey === null) return (await findSpends(db, [spendId]))[0] ?? null;
  return (await findByIdempotencyKey(db, sessionId, idempotencyKey))?.spend ?? null;
}
