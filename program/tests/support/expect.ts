import { AnchorError, LangErrorMessage } from '@coral-xyz/anchor';
import { expect, it } from 'vitest';
import { transferUnitLimit } from '../../../libs/chain/src/program/compute-units.ts';
import { attempt, type Call } from './call.ts';
import { both, type Mutator } from './mutators.ts';
import type { Outcome } from './chain.ts';
import { coder, fromCoder, idl } from './idl.ts';
import type { World } from './world.ts';

/** Error codes of the token program. */
export const TOKEN_INSUFFICIENT_FUNDS = 0x1;
export const TOKEN_ACCOUNT_FROZEN = 0x11;
/** Of a transaction with one instruction that sets no limit. */
const UNITS_WITHOUT_LIMIT = 200_000;
/** Discriminator of a program's call to itself with an event. */
export const EVENT_CPI_TAG = Buffer.from('e445a52e51cb9a1d', 'hex');

/** A way to spoil a valid call: in words, as a mutator, the error, the account it names. */
export type Refusal = readonly [
  behaviour: string,
  mutate: Mutator,
  error: string,
  account?: string | undefined,
];

/** Adds one test per refusal, each in a new world. */
export function itRefuses(
  makeWorld: () => World,
  makeCall: (world: World) => Call,
  refusals: readonly Refusal[],
): void {
  for (const [behaviour, mutate, error, account] of refusals) {
    it(`refuses when ${behaviour}`, () => {
      const world = makeWorld();
      const call = makeCall(world);
      const outcome = attempt(world, mutate(call, world));
      expectError(outcome, error, account);
      // Above the limit, the transaction would fail by its units, and the reason would be lost.
      const limit = call.name === 'transfer_usdc' ? transferUnitLimit() : UNITS_WITHOUT_LIMIT;
      expect(outcome.computeUnits).toBeLessThanOrEqual(limit);
    });
  }
}

/**
 * Adds one test per check, listed from the last check to the first: with all spoiled up to this
 * one, the error is this check's.
 */
export function itChecksInOrder(
  makeWorld: () => World,
  makeCall: (world: World) => Call,
  steps: readonly Refusal[],
): void {
  steps.forEach(([check, , error, account], place) => {
    it(`checks the ${check} before all later checks`, () => {
      const world = makeWorld();
      const mutate = both(...steps.slice(0, place + 1).map(([, one]) => one));
      expectError(attempt(world, mutate(makeCall(world), world)), error, account);
    });
  });
}

/** Expects this error in Anchor's form, with the texts of Anchor or of the IDL. */
export function expectError(outcome: Outcome, name: string, account?: string): void {
  expect(outcome.failed, 'the call passed').toBe(true);
  const parsed = AnchorError.parse(outcome.logs);
  if (parsed === null) throw new Error(`no error of ours:\n${outcome.logs.join('\n')}`);
  const { errorCode, errorMessage, origin } = parsed.error;
  expect([errorCode.code, origin]).toEqual([name, account]);
  const listed = idl.errors?.find((one) => one.code === errorCode.number);
  expect(errorMessage).toBe(listed?.msg ?? LangErrorMessage.get(errorCode.number));
  expect(listed?.name ?? name).toBe(name);
  const hex = errorCode.number.toString(16);
  expect(outcome.logs.at(-1)).toMatch(new RegExp(`failed: custom program error: 0x${hex}$`));
}

/** Expects an error of another program, such as the token program. */
export function expectForeignError(outcome: Outcome, program: string, code: number): void {
  expect(outcome.failed, 'the call passed').toBe(true);
  const hex = code.toString(16);
  expect(outcome.logs).toContain(`Program ${program} failed: custom program error: 0x${hex}`);
}

/** Expects exactly one event, the same in the log and in the self-call. */
export function expectEvent(outcome: Outcome, name: string, data: Record<string, unknown>): void {
  const logged = outcome.logs
    .filter((line) => line.startsWith('Program data: '))
    .map((line) => coder.events.decode(line.slice('Program data: '.length)));
  const called = outcome.selfCalls.map((call) => {
    expect(call.subarray(0, 8)).toEqual(EVENT_CPI_TAG);
    return coder.events.decode(call.subarray(8).toString('base64'));
  });
  const event = { name, data };
  expect(logged.map(fromCoder)).toEqual([event]);
  expect(called.map(fromCoder)).toEqual([event]);
}
