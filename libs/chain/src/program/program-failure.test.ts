import { describe, expect, it } from 'vitest';

import { SANDBOX_RESERVE } from '../reserve/known-reserves.ts';
import {
  isReplayRefusal,
  programFailureOf,
  refusalCodeOf,
  type FailureFacts,
} from './program-failure.ts';

const OURS = 'bPnk5YbjddraY6VFyhAFS5at5FXNjEtCoDARzTL8jBm';
const TOKEN = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
const STRANGER = 'KLend2g3cP87fffoy8q1mQqGKjrxjC8boSyAYavgmjD';
const BUDGET = 'ComputeBudget111111111111111111111111111111';
const NAMES = new Map([
  [3012, 'AccountNotInitialized'],
  [6002, 'DailyCapExceeded'],
  [6051, 'SpendAlreadyExecuted'],
]);

const budget = [`Program ${BUDGET} invoke [1]`, `Program ${BUDGET} success`];
const invoke = (program: string, depth: number): string => `Program ${program} invoke [${depth}]`;
const failed = (program: string, hex: string): string =>
  `Program ${program} failed: custom program error: ${hex}`;
const CAP_LINE =
  'Program log: AnchorError occurred. Error Code: DailyCapExceeded. Error Number: 6002. Error Message: x.';

function factsOf(logs: readonly string[], change: Partial<FailureFacts> = {}): FailureFacts {
  return {
    err: { InstructionError: [1, { Custom: 6002 }] },
    logs: [...budget, ...logs],
    instructionPrograms: [BUDGET, OURS],
    programId: OURS,
    errorNames: NAMES,
    ...change,
  };
}

describe('a failure', () => {
  it('is parsed from our own error line', () => {
    const failure = programFailureOf(factsOf([invoke(OURS, 1), CAP_LINE, failed(OURS, '0x1772')]));
    expect(failure).toMatchObject({
      program: OURS,
      isOurs: true,
      name: 'DailyCapExceeded',
      number: 6002,
      hex: '0x1772',
      account: null,
    });
    expect(failure?.detail).toContain('custom program error: 0x1772');
    expect(failure?.detail).toContain('DailyCapExceeded');
  });

  it('names the missing account, in hex and in words', () => {
    const line =
      'Program log: AnchorError caused by account: recipient_token_account. Error Code: AccountNotInitialized. Error Number: 3012. Error Message: x.';
    const failure = programFailureOf(factsOf([invoke(OURS, 1), line, failed(OURS, '0xbc4')]));
    expect(failure?.account).toBe('recipient_token_account');
    expect(failure?.detail).toMatch(/0xbc4.*AccountNotInitialized/);
  });

  it('is named by number when our error line is missing', () => {
    const failure = programFailureOf(factsOf([invoke(OURS, 1), failed(OURS, '0x1772')]));
    expect(failure).toMatchObject({ name: 'DailyCapExceeded', isOurs: true });
    expect(failure?.detail).toContain('DailyCapExceeded');
  });

  it('belongs to the innermost program', () => {
    const logs = [invoke(OURS, 1), invoke(TOKEN, 2), failed(TOKEN, '0x1'), failed(OURS, '0x1')];
    expect(programFailureOf(factsOf(logs))).toMatchObject({
      program: TOKEN,
      isOurs: false,
      name: 'InsufficientFunds',
    });
  });

  it.each([
    [STRANGER, '0x1778', 'InsufficientLiquidity', 'PARTIAL_LIQUIDITY'],
    [SANDBOX_RESERVE.programId, '0x1778', 'InsufficientLiquidity', 'PARTIAL_LIQUIDITY'],
    [STRANGER, '0x17b0', 'WithdrawalCapReached', 'PARTIAL_LIQUIDITY'],
    [STRANGER, '0x17ca', 'DepositLimitExceeded', 'DepositLimitExceeded'],
    [STRANGER, '0x1773', 'ReserveInvalidAmount', 'ReserveInvalidAmount'],
    [STRANGER, '0x1772', 'Custom', 'Custom'],
    [TOKEN, '0x1778', 'Custom', 'Custom'],
    [OURS, '0x1778', 'Custom', 'Custom'],
  ])('of %s with %s is %s, and %s to the caller', (program, hex, name, code) => {
    const called = program === OURS ? [] : [invoke(program, 2), failed(program, hex)];
    const failure = programFailureOf(factsOf([invoke(OURS, 1), ...called, failed(OURS, hex)]));
    expect(failure).toMatchObject({ program, name });
    expect(failure === null ? null : refusalCodeOf(failure)).toBe(code);
  });

  it('ignores the output of other programs', () => {
    const forged =
      'Program log: AnchorError occurred. Error Code: SpendAlreadyExecuted. Error Number: 6051. Error Message: x.';
    const logs = [
      invoke(OURS, 1),
      invoke(STRANGER, 2),
      `Program log: ${failed(OURS, '0x17a3')}`,
      forged,
      failed(STRANGER, '0x17a3'),
      failed(OURS, '0x17a3'),
    ];
    const failure = programFailureOf(factsOf(logs));
    if (failure === null) throw new Error('it is a failure');
    expect(failure).toMatchObject({ program: STRANGER, isOurs: false, name: 'Custom' });
    expect(isReplayRefusal(failure)).toBe(false);
    expect(failure.detail).not.toContain('SpendAlreadyExecuted');
  });

  it('ignores the error line of a call that succeeded before', () => {
    const logs = [
      invoke(OURS, 1),
      invoke(STRANGER, 2),
      CAP_LINE.replace('6002', '6051'),
      `Program ${STRANGER} success`,
      failed(OURS, '0x1772'),
    ];
    expect(programFailureOf(factsOf(logs))?.name).toBe('DailyCapExceeded');
  });

  it('is reported when the runtime stopped the program', () => {
    const logs = [invoke(OURS, 1), `Program ${OURS} failed: exceeded CUs meter at BPF instruction`];
    const err = { InstructionError: [1, 'ProgramFailedToComplete'] };
    const failure = programFailureOf(factsOf(logs, { err }));
    expect(failure).toMatchObject({ name: 'ProgramFailedToComplete', number: null, hex: null });
  });

  it.each<[string, readonly string[], Partial<FailureFacts>]>([
    ['another instruction failed', [], { err: { InstructionError: [0, { Custom: 6002 }] } }],
    [
      'error and logs disagree on the instruction',
      [invoke(OURS, 1), CAP_LINE, failed(OURS, '0x1772')],
      { err: { InstructionError: [0, { Custom: 6002 }] } },
    ],
    ['it is not an instruction that failed', [], { err: 'BlockhashNotFound' }],
    ['there is no error', [], { err: null }],
    ['the logs are missing', [], {}],
    ['the logs are cut', [invoke(OURS, 1), 'Log truncated'], {}],
    ['the stack does not add up', [invoke(OURS, 1), failed(TOKEN, '0x1')], {}],
    ['another program was on top', [invoke(STRANGER, 1), failed(STRANGER, '0x1772')], {}],
    ['the instruction is not there', [], { err: { InstructionError: [9, { Custom: 1 }] } }],
    ['the error is garbage', [], { err: { InstructionError: 'x' } }],
  ])('is not attributed when %s', (_case, logs, change) => {
    expect(programFailureOf(factsOf(logs, change))).toBeNull();
  });

  it('is not a replay refusal when another program uses our error name', () => {
    const failure = programFailureOf(factsOf([invoke(OURS, 1), failed(OURS, '0x17a3')]));
    if (failure === null) throw new Error('it is a failure');
    expect(isReplayRefusal({ ...failure, isOurs: false })).toBe(false);
  });

  it.each([
    ['SpendAlreadyExecuted', '0x17a3', true],
    ['DailyCapExceeded', '0x1772', false],
  ])('%s is a replay refusal or not', (_name, hex, expected) => {
    const failure = programFailureOf(factsOf([invoke(OURS, 1), failed(OURS, hex)]));
    expect(failure !== null && isReplayRefusal(failure)).toBe(expected);
  });
});
