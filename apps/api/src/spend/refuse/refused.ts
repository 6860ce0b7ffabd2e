import { type Denial, recordDenials, recordDenialsOf } from '@agent-wallet/audit';
import { type Database, isSilenceFault } from '@agent-wallet/db';
import type { UsedUp } from '@agent-wallet/spend';
import { createBatches } from '@agent-wallet/batches';
import { maySplit, ofOneWallet } from '../held-wallet.ts';
import type { LimitRefusals } from './limit-refusals.ts';
import type { SpendRequest } from '../spend-request.ts';

/** Why a request became no spend. Amounts in base units. */
export type Refused =
  | {
      readonly kind:
        | 'key_reused'
        | 'too_many_pending'
        | 'too_many_handed_out'
        | 'intake_closed'
        | 'no_keystore';
    }
  | ({ readonly kind: 'over_budget' } & UsedUp)
  /** `reason`: why the request would be refused without the limit. */
  | {
      readonly kind: 'too_many_refusals';
      readonly reason: string;
      readonly retryAfterSeconds: number;
    }
  | { readonly kind: 'yield_disabled' }
  /** `opensAtMs` null: the window does not open in sight. */
  | { readonly kind: 'outside_time_window'; readonly opensAtMs: number | null }
  /** `maxPerCall` null: no pattern matches the URL. */
  | { readonly kind: 'url_not_allowed'; readonly maxPerCall: bigint | null }
  | {
      readonly kind: 'insufficient';
      readonly amount: bigint;
      readonly liquid: bigint;
      /** Held by open spends. */
      readonly reserved: bigint;
      /** Of a deposit to the yield reserve. */
      readonly deployed?: bigint | undefined;
    }
  /** `available` is the most that can be withdrawn from the reserve now. */
  | { readonly kind: 'partial_liquidity'; readonly available: bigint }
  | { readonly kind: 'not_in_catalog'; readonly slug: string }
  /** `text` begins with the field's name. */
  | { readonly kind: 'malformed'; readonly text: string }
  /** The service sent no answer, or a 402 that cannot be read. */
  | { readonly kind: 'probe_failed'; readonly why: string }
  /** The challenge differs from the catalog entry. */
  | { readonly kind: 'mismatch'; readonly why: string }
  /** The service accepts no payment that this wallet can make. */
  | { readonly kind: 'unsupported'; readonly why: string }
  | { readonly kind: 'quoted_over_max'; readonly quoted: bigint; readonly maxAmount: bigint }
  | { readonly kind: 'recipient_not_allowed'; readonly detail: string };

type Reason = Pick<Denial, 'reason' | 'detail'>;

/**
 * Writes the one deny row of a request that became no spend, if its refusal is a decision. Returns
 * the refusal to send: above the limit of refusals, `too_many_refusals`, without a row.
 */
export type DenyRequest = (
  request: Pick<SpendRequest, 'agent' | 'kind' | 'amount' | 'recipient' | 'url'>,
  refused: Refused,
) => Promise<Refused>;

const DENIALS_PER_COMMIT = 256;
const ONE_QUEUE = '';

type Deps = { readonly db: Database; readonly limitRefusals: LimitRefusals };

/**
 * Deny rows that wait at the same time are written in one SQL transaction, also those of several
 * wallets. The rows of a wallet that another SQL transaction holds wait together, apart from the
 * others, and fail after 3 s.
 */
export function createDenyRequest({ db, limitRefusals }: Deps): DenyRequest {
  const commit = {
    concurrency: 1,
    maxWeight: DENIALS_PER_COMMIT,
    maySplit,
  };
  const record = createBatches<Denial, boolean>({
    ...commit,
    endsWaiting: isSilenceFault,
    run: async (denials) => {
      const recorded = await recordDenials(db, denials);
      return denials.map(({ walletId }) => recorded.has(walletId));
    },
  });
  const recordWhenFree = createBatches<Denial, null>({
    ...commit,
    ...ofOneWallet,
    run: async (denials, walletId) => {
      await recordDenialsOf(db, walletId, denials);
      return denials.map(() => null);
    },
  });
  return async ({ agent, kind, amount, recipient, url }, refused) => {
    const reason = reasonOf(refused);
    if (reason === null) return refused;
    const tooMany = await limitRefusals(agent, reason.reason);
    if (tooMany !== null) return tooMany;
    const { walletId, sessionId } = agent;
    // Characters that Postgres cannot store, or would store unlike the hashed text, are replaced.
    const recipientOrUrl = url?.toWellFormed().replaceAll('\0', '%00') ?? recipient;
    const asked = { walletId, sessionId, action: kind, amount, recipient, recipientOrUrl };
    const denial = { ...asked, ...reason };
    if (!(await record(ONE_QUEUE, denial))) await recordWhenFree(walletId, denial);
    return refused;
  };
}

/** Reason and detail of the deny row; null for a refusal that decides nothing about the wallet. */
function reasonOf(refused: Refused): Reason | null {
  switch (refused.kind) {
    case 'outside_time_window':
      return { reason: 'OUTSIDE_TIME_WINDOW', detail: null };
    case 'url_not_allowed': {
      const { maxPerCall } = refused;
      const detail = maxPerCall === null ? null : `max_per_call ${maxPerCall}`;
      return { reason: 'URL_NOT_ALLOWED', detail };
    }
    case 'insufficient': {
      const detail = `liquid ${refused.liquid}, reserved ${refused.reserved}`;
      return { reason: 'INSUFFICIENT_LIQUID', detail };
    }
    case 'partial_liquidity':
      return { reason: 'PARTIAL_LIQUIDITY', detail: `available ${refused.available}` };
    case 'mismatch':
      return { reason: 'CHALLENGE_MISMATCH', detail: refused.why };
    case 'unsupported':
      return { reason: 'UNSUPPORTED_BY_SERVICE', detail: refused.why };
    case 'quoted_over_max':
      return { reason: 'QUOTED_OVER_MAX', detail: `at most ${refused.maxAmount}` };
    case 'recipient_not_allowed':
      return { reason: 'RecipientNotAllowed', detail: refused.detail };
    case 'key_reused':
    case 'too_many_pending':
    case 'too_many_handed_out':
    case 'intake_closed':
    case 'no_keystore':
    case 'over_budget':
    case 'too_many_refusals':
    case 'yield_disabled':
    case 'not_in_catalog':
    case 'malformed':
    case 'probe_failed':
      return null;
  }
}
