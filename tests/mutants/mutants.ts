import { mutantsOfAccounts } from './accounts.ts';
import type { Mutant } from './mutant.ts';
import { mutantsOfSettings } from './settings.ts';
import { mutantsOfSpending } from './spending.ts';
import { mutantsOfYield } from './yield.ts';

export const mutants: readonly Mutant[] = [
  ...mutantsOfAccounts,
  ...mutantsOfSpending,
  ...mutantsOfYield,
  ...mutantsOfSettings,
];

/** @throws when there is none of that name */
export function mutantNamed(name: string): Mutant {
  const mutant = mutants.find((one) => one.name === name);
  if (mutant === undefined) throw new Error(`no check is called ${name}`);
  return mutant;
}
