/** Every refusal of a spend as the HTTP answer that it becomes. */

import { ERROR_ROWS, toAmountOut } from '@agent-wallet/contract';
import { isYield, REFUSALS, type Spend } from '@agent-wallet/spend';
import { badRequest, type HttpRefusal, refuse } from '../../http/http-refusal.ts';
import type { Refused } from './refused.ts';

/** What the caller can do about a refusal of the program, by its error name. */
const REMEDIES: Readonly<Record<string, string>> = {
  AccountNotInitialized:
    "create the missing account: usually the recipient's USDC token account, or have the owner submit the add-session transaction",
  RecipientNotAllowed: 'have the owner add the recipient to the session',
  AmountExceedsMaxPerTx: 'spend less at once, or have the owner raise max_per_tx',
  DailyCapExceeded: 'wait until resets_at, or have the owner raise daily_cap',
  SessionExpired: 'have the owner create a new session',
  SessionRevoked: 'have the owner create a new session',
  InstructionNotAllowed: "have the owner allow the instruction in the session's bitmap",
  VaultPaused: 'wait until the owner resumes the vault',
  DeployedFractionExceeded: 'deposit less, or have the owner raise max_deployed_fraction_bp',
  WithdrawExceedsDeployed: 'withdraw at most what GET /v1/yield/position shows as deployed',
  DepositLimitExceeded: 'deposit less, or wait until the reserve takes more',
  ReserveDeltaMismatch: 'send the request again: the rate of the reserve has changed',
};

/** A spend that was signed keeps its Idempotency-Key: under that key it is returned as it is. */
const NEW_KEY = '; then retry with a new Idempotency-Key, if this request had one';

/** Of a yield instruction the token accounts that can be missing are the vault's own. */
const YIELD_NOT_SET_UP =
  'have the owner set max_deployed_fraction_bp, which also prepares the vault for yield';

/** The refusal of a request that became no spend. */
export function refusalOf(refused: Refused): HttpRefusal {
  switch (refused.kind) {
    case 'key_reused':
      return refuse('IDEMPOTENCY_KEY_REUSED');
    case 'too_many_pending':
      return refuse('TOO_MANY_PENDING');
    case 'too_many_handed_out':
      return refuse('TOO_MANY_PENDING', {
        detail: 'the session has 16 open payments for facilitators',
        remedy: 'have their services settle them, or wait until they expire, in about 90 seconds',
      });
    case 'intake_closed':
      return refuse('RECOVERING');
    case 'no_keystore':
      return refuse('SERVER_MISCONFIGURED');
    case 'over_budget': {
      const name = refused.budget === 'fees' ? 'FEE_BUDGET_EXCEEDED' : 'REVERT_BUDGET_EXCEEDED';
      const seconds = Math.max(1, refused.retryAfterSeconds);
      return refuse(name, {}, { headers: { 'retry-after': String(seconds) } });
    }
    case 'too_many_refusals': {
      const headers = { 'retry-after': String(refused.retryAfterSeconds) };
      return refuse('TOO_MANY_REFUSALS', { detail: refused.reason }, { headers });
    }
    case 'yield_disabled':
      return refuse('YIELD_DISABLED');
    case 'outside_time_window': {
      const { opensAtMs } = refused;
      return refuse('OUTSIDE_TIME_WINDOW', {
        retryable: opensAtMs !== null,
        opens_at: opensAtMs === null ? null : Math.ceil(opensAtMs / 1000),
      });
    }
    case 'url_not_allowed': {
      const { maxPerCall } = refused;
      return maxPerCall === null
        ? refuse('URL_NOT_ALLOWED', { remedy: 'have the owner add the URL to the allowlist' })
        : refuse('URL_NOT_ALLOWED', { max_per_call: toAmountOut(maxPerCall) });
    }
    case 'insufficient':
      return insufficientLiquid(refused);
    case 'partial_liquidity': {
      const available = toAmountOut(refused.available);
      return refuse('PARTIAL_LIQUIDITY', { layer: 'off-chain', available });
    }
    case 'not_in_catalog': {
      const error = `service '${refused.slug}' not in catalog or disabled`;
      return refuse('SERVICE_NOT_FOUND', { error });
    }
    case 'malformed':
      return badRequest(refused.text);
    case 'probe_failed':
      return refuse('SERVICE_PROBE_FAILED', { detail: refused.why });
    case 'mismatch':
      return refuse('CHALLENGE_MISMATCH', { detail: refused.why });
    case 'unsupported': {
      const fields = { error: 'service probe failed', detail: refused.why } as const;
      return refuse('UNSUPPORTED_BY_SERVICE', fields);
    }
    case 'quoted_over_max':
      return refuse('QUOTED_OVER_MAX', {
        quoted: toAmountOut(refused.quoted),
        max_amount: toAmountOut(refused.maxAmount),
      });
    case 'recipient_not_allowed':
      return refusalByProgram(refused.detail, 'RecipientNotAllowed');
  }
}

function insufficientLiquid(
  refused: Extract<Refused, { readonly kind: 'insufficient' }>,
): HttpRefusal {
  const { amount, liquid, reserved, deployed } = refused;
  const free = liquid > reserved ? liquid - reserved : 0n;
  const reservationsDecide = amount <= liquid;
  return refuse('INSUFFICIENT_LIQUID', {
    retryable: reservationsDecide,
    liquid: toAmountOut(liquid),
    amount: toAmountOut(amount),
    deficit: toAmountOut(amount - free),
    ...(reservationsDecide
      ? {
          reserved: toAmountOut(reserved),
          remedy: 'retry when the spends in flight have settled',
        }
      : {}),
    ...(deployed === undefined ? {} : { deployed: toAmountOut(deployed) }),
  });
}

/** Facts beside the row. Times are unix seconds, null for never. */
export type Known = {
  /** When the same request can pass. */
  readonly resets_at?: number | null | undefined;
  readonly opens_at?: number | null | undefined;
  /** Base units that could be withdrawn from yield. */
  readonly available?: bigint | undefined;
};

/** The refusal of a rejected or reverted spend. */
export function refusalOfSpend(spend: Spend, known: Known = {}): HttpRefusal {
  const code = spend.code ?? REFUSALS.internal;
  const ids = {
    spend_id: spend.spendId,
    ...(spend.txSignature === null ? {} : { tx_signature: spend.txSignature }),
  };
  const detail = spend.detail === null ? {} : { detail: spend.detail };
  switch (code) {
    case REFUSALS.expiredUnsent:
    case REFUSALS.neverLanded:
    case REFUSALS.forkedOut:
    case REFUSALS.notSettled:
    case REFUSALS.internal:
      return refuse(code, ids);
    case REFUSALS.unsupportedByService:
      return refuse(code, { error: 'service probe failed', ...detail, ...ids });
    case REFUSALS.outsideTimeWindow:
      return refuse(code, {
        ...ids,
        retryable: known.opens_at !== null,
        ...(spend.attempt === 0
          ? {}
          : { remedy: `${ERROR_ROWS.OUTSIDE_TIME_WINDOW.remedy}${NEW_KEY}` }),
        ...(known.opens_at === undefined ? {} : { opens_at: known.opens_at }),
      });
    case REFUSALS.partialLiquidity:
      return refuse(code, {
        layer: 'on-chain',
        remedy: `${ERROR_ROWS.PARTIAL_LIQUIDITY.remedy}${NEW_KEY}`,
        ...(known.available === undefined ? {} : { available: toAmountOut(known.available) }),
        ...detail,
        ...ids,
      });
    default:
      return refusalByProgram(
        spend.detail ?? code,
        code,
        isYieldNotSetUp(spend) ? { ...ids, remedy: YIELD_NOT_SET_UP } : ids,
        known.resets_at,
      );
  }
}

/** True for any missing account but the session itself. */
function isYieldNotSetUp({ kind, code, detail }: Spend): boolean {
  return (
    isYield(kind) && code === 'AccountNotInitialized' && detail?.includes(': session.') !== true
  );
}

/** A refusal in the program's words: the program's own, or predicted from its accounts. */
export function refusalByProgram(
  detail: string,
  code: string,
  extra: {
    readonly spend_id?: string;
    readonly tx_signature?: string;
    readonly remedy?: string;
  } = {},
  resetsAt?: number | null,
): HttpRefusal {
  const remedy = extra.remedy ?? REMEDIES[code];
  const isSpend = extra.spend_id !== undefined;
  return refuse('PROGRAM', {
    ...extra,
    code,
    retryable: typeof resetsAt === 'number',
    detail,
    ...(remedy === undefined ? {} : { remedy: isSpend ? `${remedy}${NEW_KEY}` : remedy }),
    ...(resetsAt === undefined ? {} : { resets_at: resetsAt }),
  });
}
