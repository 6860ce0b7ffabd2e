import type { Raw } from '../chain/chain.ts';
import type { Flags } from '../chain/wire.ts';
import type { Call } from '../step.ts';
import type { Id } from '../world/universe.ts';

/** A transaction that passed, with the accounts before and after. */
export type Passed = {
  readonly calls: readonly Call[];
  readonly flags: Flags;
  /** Clock of the chain, unix seconds. */
  readonly now: bigint;
  readonly before: ReadonlyMap<Id, Raw | null>;
  readonly after: ReadonlyMap<Id, Raw | null>;
};
