/** Compute unit limits, from what the program was measured to use. */

import measured from '../../../../program/compute-units.json' with { type: 'json' };

/** The measured cost is a maximum over many keys; a fifth more covers the runtime's own changes. */
const HEADROOM_PERCENT = 120;
/** The two instructions that set limit and price. */
const COMPUTE_BUDGET_UNITS = 2 * 150;
const FIRST_BUMP = 255;
/** A refusal must be able to say why: an error line is put together from text, byte by byte. */
const REFUSAL_UNITS = 5_000;
/** Kamino Lend brings its interest up to date with every call, and its prices are checked. */
const RESERVE_UNITS = 150_000;

/**
 * What a transfer to a recipient may use at most. The program finds the recipient's token account
 * by trying one bump after the other from 255 down, so the cost depends on `recipientBump`, and a
 * few recipients in a thousand cost more than any sample shows.
 */
export function transferUnitLimit(recipientBump: number): number {
  return unitLimit(measured.transfer_usdc, [recipientBump]);
}

/**
 * What yield may use at most, in the same way: the program finds two token accounts of the yield
 * authority. What the reserve uses is part of it, as measured with its stand-in; a reserve that
 * does more than that has `RESERVE_UNITS` beside.
 */
export function yieldUnitLimit(
  kind: 'yield_deposit' | 'yield_withdraw',
  bumps: readonly number[],
): number {
  return unitLimit(measured[kind], bumps) + RESERVE_UNITS;
}

function unitLimit(
  { units, unitsPerBump }: { readonly units: number; readonly unitsPerBump: number },
  bumps: readonly number[],
): number {
  const tries = bumps.reduce((sum, bump) => sum + FIRST_BUMP - bump, 0);
  const used = units + unitsPerBump * tries;
  return Math.ceil((used * HEADROOM_PERCENT) / 100) + COMPUTE_BUDGET_UNITS + REFUSAL_UNITS;
}
