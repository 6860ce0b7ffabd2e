import { withdrawableOf } from '@agent-wallet/chain';
import type { Database } from '@agent-wallet/db';
import { fitsAt, opensAt } from '@agent-wallet/policy';
import { isPending, REFUSALS, type Spend } from '@agent-wallet/spend';
import { type Agent, readTimeWindow } from '@agent-wallet/wallet';
import type { ChainAccess } from '../chain/chain-access.ts';
import { type HttpRefusal, refuse } from '../http/http-refusal.ts';
import type { SpendResult } from './request-spend.ts';
import { refusalOfSpend } from './refusal-of-spend.ts';
import {
  insufficientLiquid,
  overBudget,
  outsideTimeWindow,
  partialLiquidity,
  urlNotAllowed,
} from './rule-refusals.ts';

/** What the caller of a spend endpoint is told. */
export type SpendAnswer =
  | { readonly kind: 'confirmed'; readonly spend: Spend; readonly txSignature: string }
  | { readonly kind: 'pending'; readonly spend: Spend }
  | { readonly kind: 'refused'; readonly refusal: HttpRefusal };

type Deps = {
  readonly db: Database;
  readonly chain: Pick<ChainAccess, 'readWallet' | 'readPosition'>;
  readonly nowMs: () => number;
};

/** Turns the outcome of `requestSpend` into an answer; a full daily cap is told when it has room. */
export async function answerSpend(
  deps: Deps,
  agent: Agent,
  result: SpendResult,
): Promise<SpendAnswer> {
  switch (result.kind) {
    case 'key_reused':
      return refused(refuse('IDEMPOTENCY_KEY_REUSED'));
    case 'too_many_pending':
      return refused(refuse('TOO_MANY_PENDING'));
    case 'over_budget':
      return refused(overBudget(result));
    case 'intake_closed':
      return refused(refuse('RECOVERING'));
    case 'no_keystore':
      return refused(refuse('SERVER_MISCONFIGURED'));
    case 'outside_time_window':
      return refused(outsideTimeWindow(result.opensAtMs));
    case 'url_not_allowed':
      return refused(urlNotAllowed(result.maxPerCall));
    case 'insufficient':
      return refused(insufficientLiquid(result));
    case 'partial_liquidity':
      return refused(partialLiquidity(result.available));
    case 'yield_disabled':
      return refused(refuse('YIELD_DISABLED'));
    default:
      return answerKnown(deps, agent, result.spend);
  }
}

const refused = (refusal: HttpRefusal): SpendAnswer => ({ kind: 'refused', refusal });

async function answerKnown(deps: Deps, agent: Agent, spend: Spend): Promise<SpendAnswer> {
  if (isPending(spend.status)) return { kind: 'pending', spend };
  const isConfirmed = spend.status === 'confirmed' || spend.status === 'finalized';
  if (isConfirmed && spend.txSignature !== null) {
    return { kind: 'confirmed', spend, txSignature: spend.txSignature };
  }
  switch (spend.code) {
    case 'DailyCapExceeded':
      return refused(refusalOfSpend(spend, { resets_at: await findResetsAt(deps, agent, spend) }));
    case REFUSALS.outsideTimeWindow:
      return refused(refusalOfSpend(spend, { opens_at: await findOpensAt(deps, agent) }));
    case REFUSALS.partialLiquidity:
      return refused(refusalOfSpend(spend, { available: await findAvailable(deps, agent) }));
    default:
      return refused(refusalOfSpend(spend));
  }
}

/** The most that could be withdrawn now, base units; undefined when the chain is away. */
async function findAvailable(deps: Deps, agent: Agent): Promise<bigint | undefined> {
  try {
    const { vault, yield: held } = await deps.chain.readPosition(agent, []);
    if (held === null) return undefined;
    return withdrawableOf(held.reserve, held.collateral, vault?.deployedAmount ?? 0n);
  } catch {
    return undefined;
  }
}

/** Unix seconds at which this amount fits, null for never; undefined when the chain is away. */
async function findResetsAt(
  deps: Deps,
  agent: Agent,
  spend: Spend,
): Promise<number | null | undefined> {
  try {
    const session = (await deps.chain.readWallet(agent, [agent.sessionPda])).sessions[0] ?? null;
    if (session === null) return null;
    const nowSeconds = BigInt(Math.floor(deps.nowMs() / 1000));
    const at = fitsAt(session.window, nowSeconds, spend.amount, session.dailyCap);
    return at === null ? null : Number(at);
  } catch {
    // The refusal is the answer and stands; when it ends is an extra.
    return undefined;
  }
}

/** Unix seconds at which the window opens again, null for not in sight; undefined when unknown. */
async function findOpensAt(deps: Deps, agent: Agent): Promise<number | null | undefined> {
  try {
    const atMs = opensAt(await readTimeWindow(deps.db, agent.walletId), deps.nowMs());
    return atMs === null ? null : Math.ceil(atMs / 1000);
  } catch {
    return undefined;
  }
}
