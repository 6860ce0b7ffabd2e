import { recordDenial } from '@agent-wallet/audit';
import type { Database } from '@agent-wallet/db';
import { isOpen, opensAt } from '@agent-wallet/policy';
import {
  cancelQueued,
  findByIdempotencyKey,
  findSpends,
  isPending,
  type Budgets,
  type PendingLimits,
  type Spend,
  type UsedUp,
} from '@agent-wallet/spend';
import type { ChainAccess } from '../chain-access.ts';
import { readPolicy } from '../store/policies.ts';
import { acceptWhenLiquid, digestOf, type Wish } from './accept-when-liquid.ts';
import type { SettlementWaiter } from './await-settlement.ts';
import { judgeUrl, type UrlVerdict } from './judge-url.ts';
import { readTimeWindow } from './spend-store.ts';
import { createWalletTurns } from './wallet-turns.ts';

/** One spend as an agent asks for it, and what it wants to wait for. */
export type SpendAsk = Wish & {
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
  | { readonly kind: 'too_many_pending' }
  | { readonly kind: 'shut' }
  | ({ readonly kind: 'over_budget' } & UsedUp)
  | { readonly kind: 'outside_time_window'; readonly opensAtMs: number | null }
  | Exclude<UrlVerdict, { readonly kind: 'allowed' }>
  | {
      readonly kind: 'insufficient';
      readonly amount: bigint;
      readonly liquid: bigint;
      readonly reserved: bigint;
    };

/** Acceptances of one wallet that may be at the database at once, of this process. */
const TURNS_PER_WALLET = 4;

export type RequestSpend = (ask: SpendAsk) => Promise<SpendResult>;

type Deps = {
  readonly db: Database;
  readonly chain: Pick<ChainAccess, 'readWallet'>;
  readonly nudge: (sessionId: string) => Promise<void>;
  readonly waiter: SettlementWaiter;
  readonly pendingLimits: PendingLimits;
  readonly budgets: Budgets;
  readonly nowMs: () => number;
  /** Told of faults after acceptance, which change no answer. */
  readonly onFault: (error: unknown) => void;
};

/**
 * From an authenticated, well-formed ask to an answer: replay, time window, URL, liquidity,
 * acceptance, wait. The first rule that fails is the answer. Throws RPC_UNAVAILABLE before acceptance, when
 * nothing was queued.
 */
export function createRequestSpend(deps: Deps): RequestSpend {
  const { db, nudge } = deps;
  const turns = createWalletTurns(TURNS_PER_WALLET);
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

    const verdict = await judgeAskedUrl(db, ask);
    if (verdict.kind === 'url_not_allowed') {
      const { maxPerCall } = verdict;
      await deny(
        db,
        ask,
        'URL_NOT_ALLOWED',
        maxPerCall === null ? null : `max_per_call ${maxPerCall}`,
      );
      return verdict;
    }

    const outcome = await acceptWhenLiquid({ ...deps, turns }, ask);
    switch (outcome.kind) {
      case 'key_reused':
      case 'too_many_pending':
      case 'shut':
      case 'over_budget':
        return outcome;
      case 'insufficient': {
        const { liquid, reserved } = outcome;
        await deny(db, ask, 'INSUFFICIENT_LIQUID', `liquid ${liquid}, reserved ${reserved}`);
        return { kind: 'insufficient', amount: ask.amount, liquid, reserved };
      }
      case 'accepted':
        ask.onAccepted(outcome.spend.spendId);
        await nudge(ask.agent.sessionId);
        return { kind: 'known', spend: await settle(deps, ask, outcome.spend) };
      case 'existing':
        return { kind: 'known', spend: await settle(deps, ask, outcome.spend) };
    }
  };
}

async function findReplay(db: Database, ask: SpendAsk): Promise<Spend | 'key_reused' | null> {
  if (ask.idempotencyKey === null) return null;
  const known = await findByIdempotencyKey(db, ask.agent.sessionId, ask.idempotencyKey);
  if (known === null) return null;
  return known.requestDigest.equals(digestOf(ask)) ? known.spend : 'key_reused';
}

/** Only a payment that the agent delivers by itself is held against the allowlist. */
async function judgeAskedUrl(db: Database, ask: SpendAsk): Promise<UrlVerdict> {
  if (ask.kind !== 'sign_payment') return { kind: 'allowed' };
  const { url_allowlist: allowlist } = await readPolicy(db, ask.agent.walletId);
  return judgeUrl(allowlist, ask.url ?? '', ask.amount);
}

/**
 * Waits for the outcome; at the end a spend that nobody claimed is withdrawn, if that is allowed.
 * A fault on this way is no outcome: the spend was accepted, so it is pending.
 */
async function settle(deps: Deps, ask: SpendAsk, spend: Spend): Promise<Spend> {
  if (!isPending(spend.status) || ask.waitMs === 0) return spend;
  const [seen = spend] = await deps.waiter.awaitAny([spend.spendId], ask.waitMs);
  if (!isPending(seen.status)) return seen;
  try {
    const cancelled = ask.cancelUnclaimed ? await cancelQueued(deps.db, seen) : null;
    if (cancelled !== null) return cancelled;
    const [last = seen] = await findSpends(deps.db, [spend.spendId]);
    return last;
  } catch (error) {
    deps.onFault(error);
    return seen;
  }
}

async function deny(
  db: Database,
  ask: SpendAsk,
  reason: string,
  detail: string | null,
): Promise<void> {
  const { agent, kind, amount, recipient, url } = ask;
  const { walletId, sessionId } = agent;
  // What Postgres cannot hold, or would hold differently from what was hashed, is written out.
  const recipientOrUrl = url?.toWellFormed().replaceAll('\0', '%00') ?? recipient;
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
