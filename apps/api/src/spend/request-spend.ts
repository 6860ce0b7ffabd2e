import type { Database } from '@agent-wallet/db';
import {
  type Budgets,
  findByIdempotencyKey,
  type PendingLimits,
  type Spend,
} from '@agent-wallet/spend';
import { readPolicy } from '@agent-wallet/wallet';
import type { ChainAccess } from '../chain/chain-access.ts';
import { acceptWhenLiquid } from './accept-when-liquid.ts';
import { awaitOutcome, type OutcomeWaiter } from './await-outcome.ts';
import type { AcceptSpend } from './batch-acceptances.ts';
import { denyRequest, type Refused } from './refused.ts';
import { firstRefusal, type RuleFacts } from './rules.ts';
import type { RequestFrame, SpendRequest } from './spend-request.ts';

/** What became of a request, as far as it waited: a spend, or a refusal before there was one. */
export type SpendResult = { readonly kind: 'known'; readonly spend: Spend } | Refused;

export type RequestSpend = (request: SpendRequest) => Promise<SpendResult>;

/** What every kind of spend needs. */
export type SpendDeps = {
  readonly db: Database;
  readonly chain: Pick<ChainAccess, 'readWallet' | 'readPosition' | 'yieldReserve'>;
  readonly nudge: (sessionId: string) => Promise<void>;
  readonly waiter: OutcomeWaiter;
  readonly pendingLimits: PendingLimits;
  readonly budgets: Budgets;
  /** Shared by every acceptance of this process. */
  readonly acceptSpend: AcceptSpend;
  readonly nowMs: () => number;
  /** Called for faults after acceptance, which change no answer. */
  readonly onFault: (error: unknown) => void;
};

/**
 * Takes an authenticated, well-formed request to its outcome: replay, rules, acceptance, wait. The
 * first refusal is the answer. Throws RPC_UNAVAILABLE before acceptance, when nothing is queued.
 */
export function createRequestSpend(deps: SpendDeps): RequestSpend {
  const { db } = deps;
  return async (request) => {
    const replay = await findReplay(db, request);
    if (replay === 'key_reused') return { kind: 'key_reused' };
    if (replay !== null) return { kind: 'known', spend: await awaitOutcome(deps, request, replay) };

    const facts = await readRuleFacts(deps, request.agent.walletId);
    const outcome = firstRefusal(facts, request) ?? (await acceptWhenLiquid(deps, request));
    if (outcome.kind === 'accepted') {
      return { kind: 'known', spend: await awaitOutcome(deps, request, outcome.spend) };
    }
    await denyRequest(db, request, outcome);
    return outcome;
  };
}

/** What the rules read of a wallet before its request is accepted. */
export async function readRuleFacts(
  { db, chain, nowMs }: Pick<SpendDeps, 'db' | 'chain' | 'nowMs'>,
  walletId: string,
): Promise<RuleFacts> {
  const policy = await readPolicy(db, walletId);
  return { isYieldOff: chain.yieldReserve === null, policy, nowMs: nowMs(), money: null };
}

/** The spend of an earlier request under the same key; null when there is none. */
export async function findReplay(
  db: Database,
  request: Pick<RequestFrame, 'agent' | 'idempotencyKey' | 'digest'>,
): Promise<Spend | 'key_reused' | null> {
  if (request.idempotencyKey === null) return null;
  const known = await findByIdempotencyKey(db, request.agent.sessionId, request.idempotencyKey);
  if (known === null) return null;
  return known.requestDigest.equals(request.digest) ? known.spend : 'key_reused';
}
