import { withdrawableOf } from '@agent-wallet/chain';
import { type Database, isDatabaseFault, isLockFault } from '@agent-wallet/db';
import { endsWithin } from '@agent-wallet/process';
import {
  type AcceptOutcome,
  type Budgets,
  findSpends,
  listPendingIds,
  type NewSpend,
  type PendingLimits,
  readRequestFacts,
  type Spend,
  spendIdFor,
} from '@agent-wallet/spend';
import { startSpan } from '@agent-wallet/tracing';
import type { ChainAccess, PositionFacts, WalletFacts } from '../../chain/chain-access.ts';
import { refuse } from '../../http/http-refusal.ts';
import { describeAcceptanceFault } from './acceptance-fault.ts';
import type { OutcomeWaiter } from '../answer/await-outcome.ts';
import type { AcceptSpend } from './batch-acceptances.ts';
import type { LimitRefusals } from '../refuse/limit-refusals.ts';
import { hasPredictedRefusal } from './predicted-refusal.ts';
import type { Refused } from '../refuse/refused.ts';
import type { SpendRequest } from '../spend-request.ts';

type Deps = {
  readonly db: Database;
  readonly chain: Pick<ChainAccess, 'readWallet' | 'readPosition'>;
  readonly waiter: OutcomeWaiter;
  readonly pendingLimits: PendingLimits;
  readonly budgets: Budgets;
  readonly acceptSpend: AcceptSpend;
  readonly limitRefusals: LimitRefusals;
  readonly nudge: (walletId: string, onNudged?: () => void) => Promise<void>;
  /** Called with the cause when a request is not accepted. */
  readonly onNotAccepted: (cause: string) => void;
  readonly nowMs: () => number;
};

/** 'existing': an earlier request under the same key was accepted. */
type Accepted = { readonly kind: 'accepted' | 'existing'; readonly spend: Spend };

/** A queued spend that no lane claims within this time is refused unsent. */
const NOT_AFTER_MS = 60_000;
/** How long a request waits for reserved money to come free. */
const LIQUIDITY_WAIT_MS = 2_000;
/** Without an open spend only a newer balance can help: about one slot. */
const NEXT_SLOT_MS = 400;
const LIQUIDITY_LOOKS = 8;
const PENDING_WATCHED = 100;
/** How long a caller whose acceptance broke off waits for the look at its row. */
const FIND_MS = 5_000;
/** Why a spend with a predicted refusal is not accepted, where there were too many. */
const PREDICTED = 'the limits of session or vault on chain';

/**
 * Accepts a request that has passed every rule but liquidity, and wakes its lane. Where the balance
 * is enough and only reservations stand in the way, it waits for the wallet's next settlements for
 * a moment, without any lock. Throws RPC_UNAVAILABLE when nothing was accepted.
 */
export async function acceptWhenLiquid(
  deps: Deps,
  request: SpendRequest,
): Promise<Accepted | Refused> {
  try {
    const outcome = await acceptInTime(deps, request);
    if (outcome.kind !== 'accepted' && outcome.kind !== 'existing')
      deps.onNotAccepted(outcome.kind);
    return outcome;
  } catch (error) {
    const fault = describeAcceptanceFault(error);
    deps.onNotAccepted(fault.cause);
    request.onNotAccepted(fault);
    throw error;
  }
}

async function acceptInTime(deps: Deps, request: SpendRequest): Promise<Accepted | Refused> {
  const deadlineMs = deps.nowMs() + LIQUIDITY_WAIT_MS;
  let outcome = await acceptOnce(deps, request);
  for (let look = 1; look < LIQUIDITY_LOOKS; look += 1) {
    const remainingMs = deadlineMs - deps.nowMs();
    const mayComeFree = outcome.kind === 'insufficient' && request.amount <= outcome.liquid;
    if (!mayComeFree || remainingMs <= 0) break;
    const pending = await listPendingIds(deps.db, request.agent.walletId, PENDING_WATCHED);
    const waitMs = pending.length === 0 ? Math.min(NEXT_SLOT_MS, remainingMs) : remainingMs;
    await deps.waiter.awaitAny(pending, waitMs);
    outcome = await acceptOnce(deps, request);
  }
  if (outcome.kind === 'accepted') {
    const { spend } = outcome;
    request.onAccepted(spend.spendId);
    const endNudge = startSpan('nudge');
    await deps.nudge(request.agent.walletId, () => endNudge(spend));
  }
  return outcome;
}

async function acceptOnce(deps: Deps, request: SpendRequest): Promise<Accepted | Refused> {
  const { agent, kind, amount, recipient, url, idempotencyKey } = request;
  const isWithdrawal = kind === 'yield_withdraw';
  const read = isWithdrawal ? deps.chain.readPosition : deps.chain.readWallet;
  const facts = await read(agent, [agent.sessionPda]);
  const available = whatIsAvailable(facts, request);
  if (available !== null) return { kind: 'partial_liquidity', available };
  const nowSeconds = BigInt(Math.floor(deps.nowMs() / 1000));
  const isPredicted = hasPredictedRefusal(facts, request, nowSeconds);
  const tooMany = isPredicted ? await deps.limitRefusals(agent, PREDICTED) : null;
  if (tooMany !== null) return tooMany;
  const spend: NewSpend = {
    spendId: spendIdFor(agent.sessionId, idempotencyKey),
    walletId: agent.walletId,
    sessionId: agent.sessionId,
    kind,
    amount,
    reserved: isWithdrawal || isPredicted ? 0n : amount,
    recipient,
    url,
    idempotencyKey,
    requestDigest: idempotencyKey === null ? null : request.digest,
    balance: isWithdrawal ? null : { amount: facts.liquid, slot: facts.slot },
    notAfterMs: NOT_AFTER_MS,
    pendingLimits: deps.pendingLimits,
    budgets: deps.budgets,
    ...(request.facilitator === undefined ? {} : { facilitator: request.facilitator }),
    ...(request.delivery === undefined ? {} : { delivery: request.delivery }),
  };
  const outcome = await acceptOrFind(deps, spend);
  if (outcome.kind !== 'insufficient') return outcome;
  const deployed = kind === 'yield_deposit' ? (facts.vault?.deployedAmount ?? 0n) : undefined;
  return { ...outcome, amount, deployed };
}

/** What the reserve has for a withdrawal, base units, where that is too little; null elsewhere. */
export function whatIsAvailable(
  facts: WalletFacts | PositionFacts,
  { kind, amount }: Pick<SpendRequest, 'kind' | 'amount'>,
): bigint | null {
  if (kind !== 'yield_withdraw' || !('yield' in facts) || facts.yield === null) return null;
  const deployed = facts.vault?.deployedAmount ?? 0n;
  // The chain refuses a withdrawal of more than is deployed.
  if (amount > deployed) return null;
  const { reserve, collateral } = facts.yield;
  const available = withdrawableOf(reserve, collateral, deployed);
  return amount > available ? available : null;
}

/**
 * A connection that breaks during the commit leaves open whether the spend was accepted, and a
 * caller that reads "unavailable" would send the request, and pay, again. So the row is looked up.
 * Where it does not show, which may only mean not yet, the refusal names the id that it would have.
 * Postgres' refusal to wait longer for the wallet leaves nothing open.
 */
async function acceptOrFind(
  { db, acceptSpend }: Pick<Deps, 'db' | 'acceptSpend'>,
  wanted: NewSpend,
): Promise<AcceptOutcome> {
  try {
    return await acceptSpend(wanted);
  } catch (error) {
    if (!isDatabaseFault(error) || isLockFault(error)) throw error;
    const spend = await findInTime(db, wanted);
    if (spend !== null) return { kind: 'accepted', spend };
    if (wanted.idempotencyKey !== null) {
      const remedy = 'retry with the same Idempotency-Key: the spend is never paid twice';
      throw refuse('DATABASE_UNAVAILABLE', { remedy }, { cause: error });
    }
    const remedy = 'check GET /v1/spend/{spend_id} before you retry';
    const fields = { spend_id: wanted.spendId, remedy };
    throw refuse('DATABASE_UNAVAILABLE', fields, { cause: error });
  }
}

/** The row, or null where it does not show within the time limit. */
async function findInTime(db: Database, wanted: NewSpend): Promise<Spend | null> {
  const found = findAccepted(db, wanted);
  const isFound = await endsWithin(found, FIND_MS).catch(() => false);
  return isFound ? found : null;
}

/** Looks by the key where there is one: an earlier request under it may have used up the id. */
async function findAccepted(db: Database, wanted: NewSpend): Promise<Spend | null> {
  if (wanted.idempotencyKey === null) return (await findSpends(db, [wanted.spendId]))[0] ?? null;
  return (await readRequestFacts(db, [wanted]))[0]?.known?.spend ?? null;
}
