import type { Raw } from '../chain/chain.ts';
import type { Passed } from './passed.ts';
import { WHOLE_BASIS_POINTS } from '../world/account.ts';
import type { Call } from '../step.ts';
import type { Id, Universe } from '../world/universe.ts';

/** Holdings of a wallet and of the reserve, before or after a call. */
type Holdings = {
  /** Base units in the vault's account and in transit. */
  readonly home: bigint;
  readonly liquid: bigint;
  readonly deployed: bigint;
  readonly collateral: bigint;
  readonly supply: bigint;
  /** Base units that belong to all holders of collateral, and the collateral issued. */
  readonly total: bigint;
  readonly issued: bigint;
};

/**
 * Checks a movement to or from the reserve: vault, transit and collateral keep their value to the
 * one base unit by which the reserve rounds, and the deployed amount follows the movement.
 */
export function checkYield(
  call: Call,
  at: (role: string) => Id,
  { before, after }: Passed,
  universe: Universe,
  maxDeployedFractionBp: number,
): readonly string[] {
  const was = holdingsOf(before, at, universe);
  const is = holdingsOf(after, at, universe);
  const gone = was.home - is.home;
  const gained = is.home + valueOf(is) - (was.home + valueOf(was));
  const { amount } = call.args;
  const wrong = [
    is.supply - was.supply !== gone &&
      'the reserve did not receive the amount that left the wallet',
    (gained > 1n || gained < -1n) && `the wallet is worth ${gained} more than before`,
    is.total * was.issued < was.total * is.issued && 'the others’ collateral lost value',
    ...(call.name === 'yield_deposit'
      ? depositProblems(was, is, gone, amount, BigInt(maxDeployedFractionBp))
      : withdrawalProblems(was, is, -gone, at('session') === universe.fixed.program)),
  ];
  return wrong.filter((one) => one !== false).map((one) => `${call.name}: ${one}`);
}

function depositProblems(
  was: Holdings,
  is: Holdings,
  taken: bigint,
  amount: bigint,
  bp: bigint,
): readonly (string | false)[] {
  const allowed = (was.liquid + was.deployed) * bp;
  return [
    taken <= 0n && 'nothing was deposited',
    taken > amount && `${taken} left, not ${amount}`,
    is.deployed !== was.deployed + taken &&
      'the deployed amount did not grow by the amount that left',
    is.deployed * WHOLE_BASIS_POINTS > allowed && 'more is deployed than the fraction',
  ];
}

function withdrawalProblems(
  was: Holdings,
  is: Holdings,
  returned: bigint,
  isByOwner: boolean,
): readonly (string | false)[] {
  const rest = was.deployed > returned ? was.deployed - returned : 0n;
  // With the last collateral, one base unit lost to rounding is forgotten.
  const isForgotten = is.collateral === 0n && rest <= 1n && is.deployed === 0n;
  if (was.collateral === 0n) {
    // The owner writes off what the reserve lost.
    const isUnmoved = returned === 0n && is.collateral === 0n;
    return [(!isByOwner || !isUnmoved || is.deployed !== 0n) && 'not only a loss was written off'];
  }
  return [
    returned <= 0n && 'nothing came back',
    is.deployed !== rest &&
      !isForgotten &&
      'the deployed amount did not shrink by the amount that returned',
    is.collateral >= was.collateral && 'no collateral was redeemed',
  ];
}

/** Rounded down, as the reserve pays it. */
function valueOf({ collateral, total, issued }: Holdings): bigint {
  return issued === 0n ? 0n : (collateral * total) / issued;
}

function holdingsOf(
  shown: ReadonlyMap<Id, Raw | null>,
  at: (role: string) => Id,
  { fixed }: Universe,
): Holdings {
  const number = (id: Id, offset: number): bigint =>
    shown.get(id)?.data.readBigUInt64LE(offset) ?? 0n;
  const borrowed = (number(fixed.reserve, 240) << 4n) | (number(fixed.reserve, 232) >> 60n);
  const liquid = number(at('vault_token_account'), 64);
  return {
    liquid,
    home: liquid + number(at('transit_token_account'), 64),
    deployed: number(at('vault'), 16),
    collateral: number(at('collateral_token_account'), 64),
    supply: number(fixed.reserveSupply, 64),
    total: number(fixed.reserve, 224) + borrowed,
    issued: number(fixed.reserve, 2_592),
  };
}
