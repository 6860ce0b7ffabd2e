import { errorRowOf, isRefusalName, type RefusalName } from '@agent-wallet/contract';
import type { Refusal, RefusalDetails } from './refusal.ts';

/** Error names of the on-chain program, the token program and the chain that an agent meets. */
const PROGRAM_CODES = [
  'AccountNotInitialized',
  'AmountExceedsMaxPerTx',
  'DailyCapExceeded',
  'DeployedFractionExceeded',
  'InstructionNotAllowed',
  'RecipientNotAllowed',
  'SessionExpired',
  'SessionRevoked',
  'VaultPaused',
  'WithdrawExceedsDeployed',
] as const;

/** Failures that the client finds itself. In each case but the last two, no money has moved. */
const CLIENT_CODES = [
  /** Text that is not an amount of USDC. */
  'INVALID_AMOUNT',
  /** A 402 of a service that this wallet cannot pay. */
  'NOT_PAYABLE',
  /** A transaction for the owner that is not what was asked for; it was not signed. */
  'TRANSACTION_MISMATCH',
  /** A signed transaction that is not the one that the wallet was given; it was not sent. */
  'SIGNED_MISMATCH',
  /** An address of the API that is not the derived one: money sent to it could be lost. */
  'ADDRESS_MISMATCH',
  /** A text to sign that is not a sign-in of the owner. */
  'SIGN_IN_MISMATCH',
  /** A transaction of the owner that the chain has refused or that failed. */
  'TRANSACTION_FAILED',
  /** A transaction of the owner that was not executed and can no longer be. */
  'TRANSACTION_EXPIRED',
  /** The outcome of a spend, or of a transaction of the owner, was unknown at the end of the time limit. */
  'PENDING',
  /** No usable reply: the network failed, the time limit ended, or the reply was not the API's. */
  'NO_REPLY',
] as const;

type ProgramCode = (typeof PROGRAM_CODES)[number];
type ClientCode = (typeof CLIENT_CODES)[number];

/**
 * Every `code` of an error: the API's error table, the names of the program's errors, and the
 * client's own. `PROGRAM` is any other refusal by a program on chain, `UNKNOWN` a code of a newer
 * API; the code as sent is then in `sentCode`.
 */
export type ErrorCode = RefusalName | ProgramCode | ClientCode | 'UNKNOWN';

const NAME = 'AgentWalletError';

type ErrorFields<Code extends ErrorCode> = {
  readonly code: Code;
  readonly error: string;
  readonly sentCode?: string;
  readonly status?: number;
  readonly layer?: Refusal['layer'];
  readonly retryable?: boolean;
  readonly remedy?: string | undefined;
  readonly detail?: string | undefined;
  readonly details?: RefusalDetails;
  readonly idempotencyKey?: string | null;
  readonly cause?: unknown;
};

/** A refusal of the API, or a failure to get a reply. `switch` over `code` to tell them apart. */
export class AgentWalletError<Code extends ErrorCode = ErrorCode> extends Error {
  override readonly name = NAME;
  readonly code: Code;
  /** The text of the contract, together with `status`. */
  readonly error: string;
  readonly sentCode: string;
  /** HTTP status; null where the client failed before or without a reply. */
  readonly status: number | null;
  /** Who refused: the API, or the program on chain. Null for the client's own failures. */
  readonly layer: Refusal['layer'] | null;
  /** Whether the same call can succeed later. */
  readonly retryable: boolean;
  /** What the caller can do. */
  readonly remedy: string | null;
  /** The program's error text, or a similar detail. */
  readonly detail: string | null;
  /** Further fields of the refusal. Amounts are base units, times unix seconds. */
  readonly details: RefusalDetails;
  /**
   * The `Idempotency-Key` of the call; null for calls without one. A call that is repeated with it
   * does not pay twice.
   */
  readonly idempotencyKey: string | null;

  constructor(fields: ErrorFields<Code>) {
    super(messageOf(fields), fields.cause === undefined ? {} : { cause: fields.cause });
    this.code = fields.code;
    this.error = fields.error;
    this.sentCode = fields.sentCode ?? fields.code;
    this.status = fields.status ?? null;
    this.layer = fields.layer ?? null;
    this.retryable = fields.retryable ?? false;
    this.remedy = fields.remedy ?? null;
    this.detail = fields.detail ?? null;
    this.details = fields.details ?? {};
    this.idempotencyKey = fields.idempotencyKey ?? null;
  }
}

/**
 * Whether `error` is an `AgentWalletError`, with this `code` if one is given. By its name, because a
 * program can hold this package twice: once more inside another package.
 */
export function isAgentWalletError<Code extends ErrorCode = ErrorCode>(
  error: unknown,
  code?: Code,
): error is AgentWalletError<Code> {
  if (!(error instanceof Error) || error.name !== NAME || !('code' in error)) return false;
  return code === undefined || error.code === code;
}

/** The error for a refusal of the API. */
export function errorOfRefusal(
  status: number,
  refusal: Refusal,
  idempotencyKey: string | null,
): AgentWalletError {
  const { error, code, layer, retryable, remedy, detail, ...details } = refusal;
  return new AgentWalletError({
    code: codeOf(code, error),
    sentCode: code,
    error,
    status,
    layer,
    retryable,
    remedy,
    detail,
    details,
    idempotencyKey,
  });
}

/** The code of this version for a code as sent. */
export function codeOf(sent: string, error: string): ErrorCode {
  if (isRefusalName(sent)) return sent;
  const known = PROGRAM_CODES.find((name) => name === sent);
  return known ?? (error === errorRowOf('PROGRAM').error ? 'PROGRAM' : 'UNKNOWN');
}

function messageOf({ code, sentCode, error, remedy }: ErrorFields<ErrorCode>): string {
  const shown = sentCode ?? code;
  const named = error === shown ? error : `${error} (${shown})`;
  return remedy === undefined ? named : `${named}: ${remedy}`;
}
