import type { Spend } from '@agent-wallet/spend';
import { readPolicy } from '@agent-wallet/wallet';
import {
  acceptAsk,
  type Ask,
  type AskDeps,
  type NotAccepted,
  type OutsideTimeWindow,
  refuseOutsideWindow,
} from './accept-ask.ts';
import type { Wish } from './accept-when-liquid.ts';
import { denyRequest } from './deny-request.ts';
import { findReplay } from './find-replay.ts';
import { judgeUrl, type UrlVerdict } from './judge-url.ts';
import { awaitOutcome } from './await-outcome.ts';
import type { Wait } from './spend-headers.ts';

/** One spend as an agent asks for it, and what it wants to wait for. */
export type SpendAsk = Ask & Wait;

/** How it ended, as far as this request waited. */
export type SpendResult =
  | { readonly kind: 'known'; readonly spend: Spend }
  | NotAccepted
  | OutsideTimeWindow
  | UrlNotAllowed
  | { readonly kind: 'yield_disabled' };

type UrlNotAllowed = Exclude<UrlVerdict, { readonly kind: 'allowed' }>;

export type RequestSpend = (ask: SpendAsk) => Promise<SpendResult>;

/** What every kind of spend goes through. */
export type SpendDeps = AskDeps & {
  /** Told of faults after acceptance, which change no answer. */
  readonly onFault: (error: unknown) => void;
};

/**
 * From an authenticated, well-formed ask to an answer: replay, whether yield is on, time window,
 * URL, liquidity, acceptance, wait. The first rule that fails is the answer. Throws RPC_UNAVAILABLE before
 * acceptance, when nothing was queued.
 */
export function createRequestSpend(deps: SpendDeps): RequestSpend {
  const { db } = deps;
  return async (ask) => {
    const replay = await findReplay(db, ask);
    if (replay === 'key_reused') return { kind: 'key_reused' };
    if (replay !== null) return { kind: 'known', spend: await awaitOutcome(deps, ask, replay) };

    if (isYield(ask) && deps.chain.yieldReserve === null) return { kind: 'yield_disabled' };
    const refused =
      (await refuseOutsideWindow(deps, ask)) ??
      (ask.kind === 'sign_payment' ? await refuseUrl(deps, ask) : null);
    if (refused !== null) return refused;

    const outcome = await acceptAsk(deps, ask);
    if (outcome.kind !== 'accepted') return outcome;
    return { kind: 'known', spend: await awaitOutcome(deps, ask, outcome.spend) };
  };
}

const isYield = ({ kind }: Pick<Wish, 'kind'>): boolean =>
  kind === 'yield_deposit' || kind === 'yield_withdraw';

/** Only a payment that the agent delivers by itself is held against the allowlist. */
async function refuseUrl(
  { db }: Pick<SpendDeps, 'db'>,
  ask: SpendAsk,
): Promise<UrlNotAllowed | null> {
  const { url_allowlist: allowlist } = await readPolicy(db, ask.agent.walletId);
  const verdict = judgeUrl(allowlist, ask.url ?? '', ask.amount);
  if (verdict.kind === 'allowed') return null;
  const { maxPerCall } = verdict;
  const detail = maxPerCall === null ? null : `max_per_call ${maxPerCall}`;
  await denyRequest(db, ask, 'URL_NOT_ALLOWED', detail);
  return verdict;
}
