/** The program's interface description, and the values derived from it. */

import { BorshCoder, type Idl } from '@coral-xyz/anchor';

import idlJson from '../../../../program/idl/agent_wallet.json' with { type: 'json' };

/** Framework errors that the program raises; they are not in the IDL. */
const FRAMEWORK_ERRORS: readonly (readonly [number, string])[] = [
  [101, 'InstructionFallbackNotFound'],
  [102, 'InstructionDidNotDeserialize'],
  [2000, 'ConstraintMut'],
  [2001, 'ConstraintHasOne'],
  [2002, 'ConstraintSigner'],
  [2003, 'ConstraintRaw'],
  [2004, 'ConstraintOwner'],
  [2006, 'ConstraintSeeds'],
  [2009, 'ConstraintAssociated'],
  [2012, 'ConstraintAddress'],
  [2014, 'ConstraintTokenMint'],
  [2015, 'ConstraintTokenOwner'],
  [3002, 'AccountDiscriminatorMismatch'],
  [3003, 'AccountDidNotDeserialize'],
  [3005, 'AccountNotEnoughKeys'],
  [3007, 'AccountOwnedByWrongProgram'],
  [3008, 'InvalidProgramId'],
  [3010, 'AccountNotSigner'],
  [3012, 'AccountNotInitialized'],
];

// The coder wants its own type for what the JSON file holds; its constructor checks the rest.
// oxlint-disable-next-line typescript/no-unsafe-type-assertion
const idl = idlJson as unknown as Idl;

/** Keeps the names of the file: `transfer_usdc`, `UsdcTransferred`, snake_case fields. */
export const coder = new BorshCoder(idl);

/** Names of the program's events. */
export const PROGRAM_EVENT_NAMES: readonly string[] = idlJson.events.map(({ name }) => name);

/** Names of the errors that the program defines. */
export const PROGRAM_ERROR_NAMES: readonly string[] = idlJson.errors.map(({ name }) => name);

/** Names of our program's errors, by number. */
export const errorNames: ReadonlyMap<number, string> = new Map([
  ...FRAMEWORK_ERRORS,
  ...idlJson.errors.map(({ code, name }) => [code, name] as const),
]);
