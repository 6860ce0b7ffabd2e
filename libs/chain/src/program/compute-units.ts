/** Compute unit limits, from measurements of the program. */

import measured from '../../../../program/compute-units.json' with { type: 'json' };

/** The measured cost is a maximum over many keys; 20 % more covers changes of the runtime. */
const HEADROOM_PERCENT = 120;
/** The two instructions that set limit and price. */
const COMPUTE_BUDGET_UNITS = 2 * 150;
const FIRST_BUMP = 255;
/**
 * A refusal builds its error message: 2 517 units for the last error of the program's table and the
 * account with the longest name, the dearest of all. A fifth more here as well.
 */
const REFUSAL_UNITS = 3_100;
/** Kamino Lend accrues interest on each call and checks its prices. */
const RESERVE_UNITS = 150_000;

/** The compute unit limit of a transfer, the same for every recipient. */
export function transferUnitLimit(): number {
  return unitLimit(measured.transfer_usdc.units);
}

/**
 * The compute unit limit of a yield instruction. The program finds two token accounts of the yield
 * authority, with these `bumps`, by trying one bump after the other from 255 down, so the cost
 * depends on them, and a few wallets in a thousand cost more than any sample shows. The limit
 * includes the cost of the sandbox reserve as measured; `RESERVE_UNITS` covers a reserve that does
 * more.
 */
export function yieldUnitLimit(
  kind: 'yield_deposit' | 'yield_withdraw',
  bumps: readonly number[],
): number {
  const { units, unitsPerBump } = measured[kind];
  const tries = bumps.reduce((sum, bump) => sum + FIRST_BUMP - bump, 0);
  return unitLimit(units + unitsPerBump * tries) + RESERVE_UNITS;
}

function unitLimit(used: number): number {
  return Math.ceil((used * HEADROOM_PERCENT) / 100) + COMPUTE_BUDGET_UNITS + REFUSAL_UNITS;
}
