import { withdrawableOf } from '@agent-wallet/chain';
import type { Database } from '@agent-wallet/db';
import { fitsAt, opensAt } from '@agent-wallet/policy';
import { isLanded, isPending, REFUSALS, type Spend } from '@agent-wallet/spend';
import { type Agent, readTimeWindow } from '@agent-wallet/wallet';
import type { ChainAccess } from '../chain/chain-access.ts';
import type { HttpRefusal } from '../http/http-refusal.ts';
import { type Known, refusalOf, refusalOfSpend } from './refusals.ts';
import type { SpendResult } from './request-spend.ts';

/** The answer of a spend endpoint. */
export type SpendAnswer =
  | { readonly kind: 'confirmed'; readonly spend: Spend; readonly txSignature: string }
  | { readonly kind: 'pending'; readonly spend: Spend }
  | { readonly kind: 'refused'; readonly refusal: HttpRefusal };

type Deps = {
  readonly db: Database;
  readonly chain: Pick<ChainAccess, 'readWallet' | 'readPosition'>;
  readonly nowMs: () => number;
};

/** The answer to a request: its refusal, or its spend as it stands. */
export async function answerSpend(
  deps: Deps,
  agent: Agent,
  result: SpendResult,
): Promise<SpendAnswer> {
  if (result.kind !== 'known') return refusedAs(refusalOf(result));
  const { spend } = result;
  if (isPending(spend.status)) return { kind: 'pending', spend };
  if (isLanded(spend.status) && spend.txSignature !== null) {
    return { kind: 'confirmed', spend, txSignature: spend.txSignature };
  }
  return refusedAs(refusalOfSpend(spend, await readKnown(deps, agent, spend)));
}

const refusedAs = (refusal: HttpRefusal): SpendAnswer => ({ kind: 'refused', refusal });

/** Facts of a refusal that are not in the row. One that cannot be read is left out. */
async function readKnown(deps: Deps, agent: Agent, spend: Spend): Promise<Known> {
  switch (spend.code) {
    case 'DailyCapExceeded':
      return { resets_at: await findResetsAt(deps, agent, spend) };
    case REFUSALS.outsideTimeWindow:
      return { opens_at: await findOpensAt(deps, agent) };
    case REFUSALS.partialLiquidity:
      return { available: await findAvailable(deps, agent) };
    default:
      return {};
  }
}

/** The most that can be withdrawn now, base units; undefined when the chain cannot be read. */
async function findAvailable(deps: Deps, agent: Agent): Promise<bigint | undefined> {
  try {
    const { vault, yield: held } = await deps.chain.readPosition(agent, []);
    if (held === null) return undefined;
    return withdrawableOf(held.reserve, held.collateral, vault?.deployedAmount ?? 0n);
  } catch {
    return undefined;
  }
}

/** Unix seconds at which this amount fits, null for never; undefined when it cannot be read. */
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
    // The refusal stands without the time at which it ends.
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
