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
