import { buildSpendMessage, type SimulationResult, unsignedWire } from '@agent-wallet/chain';
import { isAppError } from '@agent-wallet/errors';
import { expect, describe, test } from 'vitest';
import { facilitatedBasis, PROGRAM } from '../../fixtures/facilitated-basis.ts';
import { createSimulatePayment } from './simulate-payment.ts';
import type { Refusal } from './describe-refusal.ts';

const basis = facilitatedBasis();
const WIRE = unsignedWire(
  buildSpendMessage(PROGRAM, {
    ...basis.action,
    feePayer: basis.spend.facilitatorFeePayer ?? '',
    blockhash: basis.blockhash.blockhash,
    computeUnitLimit: 60_000,
    computeUnitPrice: 1n,
    facilitated: { memo: 'memo' },
  }),
);
const { programId } = PROGRAM;

/** Our instruction, the third, says no. */
const failedWith = (name: string, number: number, account?: string): Partial<SimulationResult> => ({
  err: { InstructionError: [2, { Custom: number }] },
  logs: [
    `Program ${programId} invoke [1]`,
    `Program log: AnchorError ${account === undefined ? 'occurred' : `caused by account: ${account}`}. Error Code: ${name}. Error Number: ${number}. Error Message: no.`,
    `Program ${programId} failed: custom program error: 0x${number.toString(16)}`,
  ],
});

async function simulated(
  result: Partial<SimulationResult>,
  { isAbsent = false, liveSlot = 900n }: { isAbsent?: boolean; liveSlot?: bigint | null } = {},
): Promise<Refusal | null | string> {
  const simulate = createSimulatePayment({
    rpc: {
      simulate: async (wire, options) => {
        expect(wire).toEqual(WIRE);
        expect(options).toEqual({ minContextSlot: 1_000n });
        return { slot: 1_001n, err: null, logs: [], unitsConsumed: 1n, ...result };
      },
    },
    program: PROGRAM,
    isSessionAbsent: async () => isAbsent,
  });
  try {
    return await simulate({ ...basis.lane, liveSlot }, WIRE, 1_000n);
  } catch (error) {
    if (isAppError(error)) return error.code;
    throw error;
  }
}

describe('a simulation', () => {
  test('that passes lets the payment go on', async () => {
    expect(await simulated({})).toBeNull();
  });

  test('is no answer of a node that is behind', async () => {
    expect(await simulated({ slot: 999n })).toBe('RPC_UNAVAILABLE');
  });

  test.each<[string, Partial<SimulationResult>, string]>([
    ['by the program', failedWith('DailyCapExceeded', 6_003), 'DailyCapExceeded'],
    [
      'for an account',
      failedWith('AccountNotInitialized', 3_012, 'recipient_usdc'),
      'AccountNotInitialized',
    ],
    ['as the fee payer has nothing', { err: 'AccountNotFound' }, 'UNSUPPORTED_BY_SERVICE'],
    [
      'as the fee payer has too little',
      { err: 'InsufficientFundsForFee' },
      'UNSUPPORTED_BY_SERVICE',
    ],
    ['as the fee payer is no wallet', { err: 'InvalidAccountForFee' }, 'UNSUPPORTED_BY_SERVICE'],
  ])('that fails %s refuses the payment', async (_case, result, code) => {
    expect(await simulated(result)).toMatchObject({ code });
  });

  test.each<[string, Partial<SimulationResult>]>([
    ['for a blockhash that the node does not know', { err: 'BlockhashNotFound' }],
    ['because its number was used', failedWith('SpendAlreadyExecuted', 6_051)],
    ['because its number is too old', failedWith('SpendSequenceTooOld', 6_052)],
  ])('that fails %s says nothing about the payment', async (_case, result) => {
    expect(await simulated(result)).toBe('RPC_UNAVAILABLE');
  });

  test.each<[string, Partial<SimulationResult>]>([
    ['in the memo', { err: { InstructionError: [3, 'ProgramFailedToComplete'] } }],
    ['without a reason', failedWith('DailyCapExceeded', 6_003)],
    ['in a way that nobody knows', { err: 'SomethingNew' }],
  ])('that fails %s is a fault of ours', async (_case, result) => {
    expect(await simulated({ ...result, logs: [] })).toBe('INTERNAL');
  });

  const noSession = failedWith('AccountNotInitialized', 3_012, 'session');
  test.each([
    ['was live and is gone', { isAbsent: true }, { code: 'SessionRevoked' }],
    ['never was', { isAbsent: true, liveSlot: null }, { code: 'AccountNotInitialized' }],
  ])('without the session tells that it %s', async (_case, facts, expected) => {
    expect(await simulated(noSession, facts)).toMatchObject(expected);
  });

  test('without a session that shows on a second look is no answer', async () => {
    expect(await simulated(noSession)).toBe('RPC_UNAVAILABLE');
  });
});
