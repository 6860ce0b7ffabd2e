/** Compute unit limits, from what the program was measured to use. */

import measured from '../../../program/compute-units.json' with { type: 'json' };

/** The measured cost is a maximum over many keys; a fifth more covers the runtime's own changes. */
const HEADROOM_PERCENT = 120;
/** The two instructions that set limit and price. */
const COMPUTE_BUDGET_UNITS = 2 * 150;
const FIRST_BUMP = 255;
/** A refusal must be able to say why: an error line is put together from text, byte by byte. */
const REFUSAL_UNITS = 5_000;

/**
 * What a transfer to a recipient may use at most. The program finds the recipient's token account
 * by trying one bump after the other from 255 down, so the cost depends on `recipientBump`, and a
 * few recipients in a thousand cost more than any sample shows.
 */
export function transferUnitLimit(recipientBump: number): number {
  const { units, unitsPerBump } = measured.transfer_usdc;
  const used = units + unitsPerBump * (FIRST_BUMP - recipientBump);
  return Math.ceil((used * HEADROOM_PERCENT) / 100) + COMPUTE_BUDGET_UNITS + REFUSAL_UNITS;
}

/**
 * What yield may use at most. The token accounts of the vault's yield are found like a recipient's,
 * and the reserve is a program of somebody else, so this is far above what was measured.
 */
export function yieldUnitLimit(): number {
  return 200_000 + COMPUTE_BUDGET_UNITS;
}
