import { createHash } from 'node:crypto';
import { recordDenial } from '@agent-wallet/audit';
import type { Database } from '@agent-wallet/db';
import { isOpen, opensAt } from '@agent-wallet/policy';
import {
  type AcceptOutcome,
  acceptSpend,
  cancelQueued,
  findByIdempotencyKey,
  findSpends,
  isPending,
  type Spend,
  type SpendKind,
  spendIdFor,
} from '@agent-wallet/spend';
import type { Agent } from '../auth/authenticate-agent.ts';
import type { ChainAccess } from '../chain-access.ts';
import type { SettlementWaiter } from './await-settlement.ts';
import { isDoomed } from './doomed.ts';
import { listPendingIds, readTimeWindow } from './spend-store.ts';

/** One spend as an agent asks for it. Amounts in base units. */
type SpendAsk = {
  readonly agent: Agent;
  readonly kind: SpendKind;
  readonly amount: bigint;
  readonly recipient: string | null;
  readonly url: string | null;
  readonly idempotencyKey: string | null;
  /** How long to wait for the outcome, and whether a spend nobody claimed by then is withdrawn. */
  readonly waitMs: number;
  readonly cancelUnclaimed: boolean;
  /** Told once the spend's id is known. */
  readonly onAccepted: (spendId: string) => void;
};

/** How it ended, as far as this request waited. */
export type SpendResult =
  | { readonly kind: 'known'; readonly spend: Spend }
  | { readonly kind: 'key_reused' }
  | { readonly kind: 'outside_time_window'; readonly opensAtMs: number | null }
  | {
      readonly kind: 'insufficient';
      readonly amount: bigint;
      readonly liquid: bigint;
      readonly reserved: bigint;
    };

export type RequestSpend = (ask: SpendAsk) => Promise<SpendResult>;

type Deps = {
  readonly db: Database;
  readonly chain: Pick<ChainAccess, 'readWallet'>;
  readonly nudge: (sessionId: string) => Promise<void>;
  readonly waiter: SettlementWaiter;
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
 * From an authenticated, well-formed ask to an answer: replay, time window, liquidity, acceptance,
 * wait. The first rule that fails is the answer. Throws RPC_UNAVAILABLE before acceptance, when
 * nothing was queued.
 */
export function createRequestSpend(deps: Deps): RequestSpend {
  const { db, nudge } = deps;
  return async (ask) => {
    const replay = await findReplay(db, ask);
    if (replay === 'key_reused') return { kind: 'key_reused' };
    if (replay !== null) return { kind: 'known', spend: await settle(deps, ask, replay) };

    const window = await readTimeWindow(db, ask.agent.walletId);
    const nowMs = deps.nowMs();
    if (!isOpen(window, nowMs)) {
      await deny(db, ask, 'OUTSIDE_TIME_WINDOW', null);
      return { kind: 'outside_time_window', opensAtMs: opensAt(window, nowMs) };
    }

    const outcome = await acceptWhenLiquid(deps, ask);
    if (outcome.kind === 'key_reused') return { kind: 'key_reused' };
    if (outcome.kind === 'insufficient') {
      const { liquid, reserved } = outcome;
      await deny(db, ask, 'INSUFFICIENT_LIQUID', `liquid ${liquid}, reserved ${reserved}`);
      return { kind: 'insufficient', amount: ask.amount, liquid, reserved };
    }
    if (outcome.kind === 'accepted') {
      ask.onAccepted(outcome.spend.spendId);
      await nudge(ask.agent.sessionId);
    }
    return { kind: 'known', spend: await settle(deps, ask, outcome.spend) };
  };
}

async function findReplay(db: Database, ask: SpendAsk): Promise<Spend | 'key_reused' | null> {
  if (ask.idempotencyKey === null) return null;
  const known = await findByIdempotencyKey(db, ask.agent.sessionId, ask.idempotencyKey);
  if (known === null) return null;
  return known.requestDigest.equals(digestOf(ask)) ? known.spend : 'key_reused';
}

/** What makes two asks under one key the same ask. */
function digestOf(ask: SpendAsk): Buffer {
  const content = [ask.kind, ask.amount.toString(), ask.recipient, ask.url];
  return createHash('sha256').update(JSON.stringify(content)).digest();
}

/**
 * Accepts the ask, or tells what is missing. Where the balance would do and only reservations
 * stand in the way, the wallet's next settlements are awaited for a moment, without any lock.
 */
async function acceptWhenLiquid(deps: Deps, ask: SpendAsk): Promise<AcceptOutcome> {
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

async function acceptOnce(deps: Deps, ask: SpendAsk): Promise<AcceptOutcome> {
  const { agent, kind, amount, recipient, url, idempotencyKey } = ask;
  const facts = await deps.chain.readWallet(agent, [agent.sessionPda]);
  const nowSeconds = BigInt(Math.floor(deps.nowMs() / 1000));
  return acceptSpend(deps.db, {
    spendId: spendIdFor(agent.sessionId, idempotencyKey),
    walletId: agent.walletId,
    sessionId: agent.sessionId,
    kind,
    amount,
    reserved: isDoomed(facts, ask, nowSeconds) ? 0n : amount,
    recipient,
    url,
    idempotencyKey,
    requestDigest: idempotencyKey === null ? null : digestOf(ask),
    balance: { amount: facts.liquid, slot: facts.slot },
    notAfterMs: NOT_AFTER_MS,
  });
}

/** Waits for the outcome; at the end a spend that nobody claimed is withdrawn, if that is allowed. */
async function settle(deps: Deps, ask: SpendAsk, spend: Spend): Promise<Spend> {
  if (!isPending(spend.status)) return spend;
  const [seen = spend] =
    ask.waitMs === 0 ? [] : await deps.waiter.awaitAny([spend.spendId], ask.waitMs);
  if (!isPending(seen.status) || ask.waitMs === 0) return seen;
  const cancelled = ask.cancelUnclaimed ? await cancelQueued(deps.db, seen) : null;
  if (cancelled !== null) return cancelled;
  const [last = seen] = await findSpends(deps.db, [spend.spendId]);
  return last;
}

async function deny(
  db: Database,
  ask: SpendAsk,
  reason: string,
  detail: string | null,
): Promise<void> {
  const { agent, kind, amount, recipient, url } = ask;
  const { walletId, sessionId } = agent;
  const recipientOrUrl = url ?? recipient;
  await recordDenial(db, {
    walletId,
    sessionId,
    action: kind,
    amount,
    recipient,
    recipientOrUrl,
    reason,
    detail,
  });
}
