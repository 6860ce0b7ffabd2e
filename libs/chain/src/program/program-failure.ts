/**
 * Attributes a failed transaction to a program and an error.
 *
 * CPI failures cannot be caught, so an error number may belong to any program down the call stack:
 * the innermost `Program X failed` line names it. The runtime writes those lines; text after
 * `Program log:` comes from the running program, and only our own program is trusted.
 */

import { RESERVE_PROGRAMS } from '../reserve/known-reserves.ts';

/** Errors of the classic token program that a transfer can cause. */
const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
const TOKEN_ERRORS: Readonly<Record<number, string>> = {
  1: 'InsufficientFunds',
  3: 'MintMismatch',
  4: 'OwnerMismatch',
  17: 'AccountFrozen',
};

/** Errors of the yield reserve, under names that differ from ours. */
const RESERVE_ERRORS: Readonly<Record<number, string>> = {
  6003: 'ReserveInvalidAmount',
  6008: 'InsufficientLiquidity',
  6009: 'ReserveStale',
  6042: 'ReserveEmergencyMode',
  6064: 'WithdrawalCapReached',
  6073: 'ReserveDeprecated',
  6082: 'ReserveObsolete',
  6090: 'DepositLimitExceeded',
  6132: 'CollateralUsageBlocked',
};
/** Errors of a reserve that cannot pay out now. */
const LACK_OF_LIQUIDITY: ReadonlySet<number | null> = new Set([6008, 6064]);

const MAX_LOG_LINES = 1_000;
const MAX_LINE_LENGTH = 400;

/**
 * The failure of a program. `name` is an error name such as `DailyCapExceeded`, or `Custom` when it
 * is unknown.
 */
export type ProgramFailure = {
  /** Base58 id of the program that failed: ours, or one that ours called. */
  readonly program: string;
  readonly isOurs: boolean;
  readonly name: string;
  readonly number: number | null;
  /** `0x…` as the runtime prints it; null when the failure has no number. */
  readonly hex: string | null;
  /** The account that our program blamed, in snake_case, or null. */
  readonly account: string | null;
  /** One line for the caller, with the number in hex and the name. */
  readonly detail: string;
};

/** The raw result of a failed simulation or transaction. */
export type FailureFacts = {
  readonly err: unknown;
  readonly logs: readonly string[];
  /** Program of each top-level instruction, in order. */
  readonly instructionPrograms: readonly string[];
  readonly programId: string;
  /** Names of our errors by number, from the IDL and the framework. */
  readonly errorNames: ReadonlyMap<number, string>;
};

type FailedFrame = {
  readonly root: string;
  readonly program: string;
  readonly reason: string;
  readonly errorLine: string | null;
};

const INVOKE = /^Program ([1-9A-HJ-NP-Za-km-z]{32,44}) invoke \[\d+\]$/;
const SUCCESS = /^Program ([1-9A-HJ-NP-Za-km-z]{32,44}) success$/;
const FAILED = /^Program ([1-9A-HJ-NP-Za-km-z]{32,44}) failed: (.*)$/;
const ERROR_LINE = /^Program log: ((?:AnchorError|ProgramError) .*)$/;
const NAMED_ERROR = /Error Code: (\w+)\. Error Number: (\d+)\./;
const BLAMED_ACCOUNT = /^AnchorError caused by account: (\w+)\./;

/** Walks the call stack down to the first `failed`, which is the innermost. */
function failedFrameOf(logs: readonly string[]): FailedFrame | null {
  const stack: { program: string; errorLine: string | null }[] = [];
  for (const line of logs.slice(0, MAX_LOG_LINES)) {
    const invoked = INVOKE.exec(line)?.[1];
    if (invoked !== undefined) {
      stack.push({ program: invoked, errorLine: null });
      continue;
    }
    const top = stack.at(-1);
    if (top === undefined) continue;
    const failed = FAILED.exec(line);
    if (failed !== null) {
      const root = stack[0]?.program ?? top.program;
      // A line that does not close the running frame shows that lines are missing: no attribution.
      if (failed[1] !== top.program) return null;
      return { root, program: top.program, reason: failed[2] ?? '', errorLine: top.errorLine };
    }
    if (SUCCESS.exec(line)?.[1] === top.program) stack.pop();
    else top.errorLine = ERROR_LINE.exec(line)?.[1] ?? top.errorLine;
  }
  return null;
}

/** The `[index, error]` of an InstructionError, null for every other kind of error. */
function instructionErrorOf(err: unknown): { index: number; kind: string | null } | null {
  if (typeof err !== 'object' || err === null || !('InstructionError' in err)) return null;
  const inner: unknown = err.InstructionError;
  if (!Array.isArray(inner)) return null;
  const [index, kind]: unknown[] = inner;
  if (typeof index !== 'number') return null;
  return { index, kind: typeof kind === 'string' ? kind : null };
}

function customNumberOf(reason: string): number | null {
  const hex = /^custom program error: 0x([0-9a-f]{1,8})$/.exec(reason)?.[1];
  return hex === undefined ? null : Number.parseInt(hex, 16);
}

function nameOf(facts: FailureFacts, frame: FailedFrame, number: number | null): string | null {
  if (frame.program === TOKEN_PROGRAM && number !== null) return TOKEN_ERRORS[number] ?? null;
  if (RESERVE_PROGRAMS.has(frame.program) && number !== null) {
    return RESERVE_ERRORS[number] ?? null;
  }
  if (frame.program !== facts.programId) return null;
  const named = NAMED_ERROR.exec(frame.errorLine ?? '');
  if (named !== null && (number === null || Number(named[2]) === number)) return named[1] ?? null;
  return number === null ? null : (facts.errorNames.get(number) ?? null);
}

const printable = (text: string): string =>
  text.replace(/[^\x20-\x7e]/g, '?').slice(0, MAX_LINE_LENGTH);

/**
 * The failure of an instruction of ours (in our program or one that it called). Null when the facts
 * do not prove it: another instruction failed, or the logs are missing or truncated.
 */
export function programFailureOf(facts: FailureFacts): ProgramFailure | null {
  const failed = instructionErrorOf(facts.err);
  if (failed === null || facts.instructionPrograms[failed.index] !== facts.programId) return null;
  const frame = failedFrameOf(facts.logs);
  if (frame === null || frame.root !== facts.programId) return null;
  const isOurs = frame.program === facts.programId;
  const number = customNumberOf(frame.reason);
  const name = nameOf(facts, frame, number) ?? failed.kind ?? 'Custom';
  const errorLine = isOurs ? frame.errorLine : null;
  const summary = `Error processing Instruction ${failed.index}: ${printable(frame.reason)}`;
  const told = errorLine ?? (isOurs ? name : `${name} in program ${frame.program}`);
  return {
    program: frame.program,
    isOurs,
    name,
    number,
    hex: number === null ? null : `0x${number.toString(16)}`,
    account: BLAMED_ACCOUNT.exec(errorLine ?? '')?.[1] ?? null,
    detail: `${summary}: ${printable(told)}`,
  };
}

/** The stable code of a refusal: the error's name, with one code for each kind of illiquidity. */
export function refusalCodeOf({ name, number, program }: ProgramFailure): string {
  const lacksLiquidity = RESERVE_PROGRAMS.has(program) && LACK_OF_LIQUIDITY.has(number);
  return lacksLiquidity ? 'PARTIAL_LIQUIDITY' : name;
}

/**
 * Whether the program refused because this spend_seq was used or is too old. This is never a
 * verdict: the landing must be found.
 */
export function isReplayRefusal(failure: ProgramFailure): boolean {
  const isReplay =
    failure.name === 'SpendAlreadyExecuted' || failure.name === 'SpendSequenceTooOld';
  return failure.isOurs && isReplay;
}
