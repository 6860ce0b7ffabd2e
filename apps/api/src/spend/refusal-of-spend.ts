import { type Spend, REFUSALS } from '@agent-wallet/spend';
import { type HttpRefusal, refuse } from '../http/http-refusal.ts';
import { partialLiquidity } from './rule-refusals.ts';

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
  ReserveDeltaMismatch: 'ask again: the rate of the reserve moved meanwhile',
};

/** Of a yield instruction the token accounts that can be missing are the vault's own. */
const YIELD_NOT_SET_UP =
  'have the owner set max_deployed_fraction_bp, which also prepares the vault for yield';

/** What is known beyond the row. Times are unix seconds, null for never. */
type Known = {
  /** When the same ask could pass. */
  readonly resets_at?: number | null | undefined;
  readonly opens_at?: number | null | undefined;
  /** Base units that could be withdrawn from yield. */
  readonly available?: bigint | undefined;
};

/** The final refusal that a rejected or reverted spend stands for. */
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
        ...(known.opens_at === undefined ? {} : { opens_at: known.opens_at }),
      });
    case REFUSALS.partialLiquidity:
      return partialLiquidity(known.available, { layer: 'on-chain', ...detail, ...ids });
    default:
      return refusalByProgram(
        spend.detail ?? code,
        code,
        isYieldNotSetUp(spend) ? { ...ids, remedy: YIELD_NOT_SET_UP } : ids,
        known.resets_at,
      );
  }
}

/** Any missing account but the session itself. */
function isYieldNotSetUp({ kind, code, detail }: Spend): boolean {
  const isYield = kind === 'yield_deposit' || kind === 'yield_withdraw';
  return isYield && code === 'AccountNotInitialized' && detail?.includes(': session.') !== true;
}

/** A refusal in the program's words, made by the program or by its rules as last read. */
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
  const remedy = REMEDIES[code];
  return refuse('PROGRAM', {
    code,
    retryable: typeof resetsAt === 'number',
    detail,
    ...(remedy === undefined ? {} : { remedy }),
    ...(resetsAt === undefined ? {} : { resets_at: resetsAt }),
    ...extra,
  });
}
