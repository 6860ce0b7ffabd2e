import { apiMutants } from './api.ts';
import type { Mutant, Proof } from './mutant.ts';
import { accountMutants } from './program/accounts.ts';
import { settingMutants } from './program/settings.ts';
import { spendingMutants } from './program/spending.ts';
import { sweepMutants } from './program/sweeps.ts';
import { vaultMutants } from './program/vaults.ts';
import { yieldMutants } from './program/yield.ts';
import { spendMutants } from './spend.ts';

/** Mutants of the wallet program, which is built anew for each. */
export const programMutants: readonly Mutant[] = [
  ...accountMutants,
  ...spendingMutants,
  ...yieldMutants,
  ...settingMutants,
  ...sweepMutants,
  ...vaultMutants,
];

export const mutants: readonly Mutant[] = [...apiMutants, ...spendMutants, ...programMutants];

/** Throws when no mutant has that name. */
export function mutantNamed(name: string): Mutant {
  const mutant = mutants.find((one) => one.name === name);
  if (mutant === undefined) throw new Error(`There is no mutant ${name}.`);
  return mutant;
}

/** Names of the mutants that a surface or row has to notice. */
export const mutantsNoticedBy = (proof: Proof): readonly string[] =>
  mutants.filter(({ noticedBy }) => noticedBy.includes(proof)).map(({ name }) => name);
