import type { Database } from '@agent-wallet/db';
import type { Budgets, PendingLimits, Spend } from '@agent-wallet/spend';
import type { ChainAccess } from '../chain/chain-access.ts';
import { acceptWhenLiquid } from './accept/accept-when-liquid.ts';
import { asReplay, type Wait } from './spend-headers.ts';
import { awaitOutcome, type OutcomeWaiter } from './answer/await-outcome.ts';
import type { AcceptSpend } from './accept/batch-acceptances.ts';
import type { CancelSpend } from './answer/cancel-spend.ts';
import { canBeHandedOut, handOut } from './answer/hand-out.ts';
import { createReadFacts } from './read-facts.ts';
import type { LimitRefusals } from './refuse/limit-refusals.ts';
import type { DenyRequest, Refused } from './refuse/refused.ts';
import { firstRefusal } from './rules.ts';
import type { SpendRequest } from './spend-request.ts';

/** What became of a request, as far as it waited: a spend, or a refusal before there was one. */
export type SpendResult =
  | {
      readonly kind: 'known';
      readonly spend: Spend;
      /** Signed, for the agent to give to the service. */
      readonly transaction: Buffer | null;
    }
  | Refused;

export type RequestSpend = (request: SpendRequest) => Promise<SpendResult>;

/** What every kind of spend needs. */
export type SpendDeps = {
  readonly db: Database;
  readonly chain: Pick<ChainAccess, 'readWallet' | 'readPosition' | 'yieldReserve'>;
  readonly nudge: (walletId: string, onNudged?: () => void) => Promise<void>;
  readonly waiter: OutcomeWaiter;
  readonly pendingLimits: PendingLimits;
  readonly budgets: Budgets;
  /** Shared by every acceptance of this process. */
  readonly acceptSpend: AcceptSpend;
  readonly cancelSpend: CancelSpend;
  readonly onNotAccepted: (cause: string) => void;
  readonly denyRequest: DenyRequest;
  readonly limitRefusals: LimitRefusals;
  readonly nowMs: () => number;
  /** Called for faults after acceptance, which change no answer. */
  readonly onFault: (error: unknown) => void;
};

/**
 * Takes an authenticated, well-formed request to its outcome: replay, rules, acceptance, wait. The
 * first refusal is the answer. Throws RPC_UNAVAILABLE before acceptance, when nothing is queued.
 */
export function createRequestSpend(deps: SpendDeps): RequestSpend {
  const readFacts = createReadFacts(deps);
  return async (request) => {
    const { replay, rules } = await readFacts(request);
    if (replay === 'key_reused') return { kind: 'key_reused' };
    const outcome =
      replay === null
        ? (firstRefusal(rules, request) ?? (await acceptWhenLiquid(deps, request)))
        : ({ kind: 'existing', spend: replay } as const);
    switch (outcome.kind) {
      case 'accepted':
        return follow(deps, request, outcome.spend);
      case 'existing':
        return follow(deps, asReplay(request), outcome.spend);
      default:
        return deps.denyRequest(request, outcome);
    }
  };
}

async function follow(deps: SpendDeps, wait: Wait, accepted: Spend): Promise<SpendResult> {
  const spend = await awaitOutcome(deps, wait, accepted, canBeHandedOut);
  return { kind: 'known', spend, transaction: await handOut(deps, spend) };
}
