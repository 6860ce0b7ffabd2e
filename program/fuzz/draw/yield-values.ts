import { reserveIn } from '../model/reserve-rules.ts';
import { MAX_U64, WHOLE_BASIS_POINTS } from '../world/account.ts';
import { type Args, type Call, metasOf } from '../step.ts';
import type { Id } from '../world/universe.ts';
import { balanceOf, type Choice, type Hand, near } from './hand.ts';
import { withArgs } from './values.ts';

export function drawDeposit(hand: Hand, { wallet, vault }: Choice): bigint {
  const { random } = hand;
  const liquid = balanceOf(hand, wallet.vaultTokens);
  const deployed = vault?.deployed ?? 0n;
  const bp = BigInt(vault?.maxDeployedFractionBp ?? 0);
  const most = ((liquid + deployed) * bp) / WHOLE_BASIS_POINTS - deployed;
  if (most > 0n && random.chance(0.7)) return random.between(1n, most / random.pick([1n, 4n]) + 1n);
  return near(hand, most, liquid, 1n, 2n);
}

/** Amounts that match the collateral, that do not, or that mean everything. */
export function drawWithdrawal(
  hand: Hand,
  choice: Choice,
  isByOwner: boolean,
): Pick<Args, 'amount' | 'collateral_amount'> {
  const { random } = hand;
  const { wallet, vault } = choice;
  const held = balanceOf(hand, wallet.collateral);
  const deployed = vault?.deployed ?? 0n;
  if (isByOwner && isLost(hand, choice) && random.chance(0.7)) {
    return { amount: MAX_U64, collateral_amount: near(hand, 0n, 0n, 0n, 1n) };
  }
  if (random.chance(isByOwner ? 0.5 : 0.25)) {
    const amount = isByOwner && random.chance(0.7) ? MAX_U64 : deployed;
    const isAll = random.chance(0.4);
    return { amount, collateral_amount: isAll ? held : near(hand, 0n, held, held / 2n) };
  }
  const amount = random.chance(0.8) ? random.between(1n, deployed) : near(hand, deployed, 1n);
  const { available, borrowed, collateral } = reserveIn(hand);
  const total = available + borrowed;
  const fitting = total === 0n ? 0n : (amount * collateral) / total;
  const beside = random.pick([0n, 0n, 1n, 1n, 2n, -1n]);
  const wrong = near(hand, held, fitting * 2n, 1n);
  return { amount, collateral_amount: random.chance(0.85) ? near(hand, fitting + beside) : wrong };
}

/** Whether the deployed amount is all lost, so that the owner can only write it off. */
export function isLost(hand: Hand, { wallet, vault }: Choice): boolean {
  return (vault?.deployed ?? 0n) > 0n && balanceOf(hand, wallet.collateral) === 0n;
}

/** Loans, interest and repayments by other users of the reserve. */
export function drawReserveCalls(hand: Hand): readonly Call[] {
  const { random, universe, model } = hand;
  const { available, borrowed } = reserveIn(hand);
  const { fixed } = universe;
  if (model.accounts.get(fixed.reserve)?.owner !== fixed.reserveProgram) return [];
  const kind = random.below(10);
  if (kind < 3) {
    const amount = near(hand, available / 2n, available / 10n, available);
    const borrow = reserveCall(hand, 'borrow_out', { amount });
    return random.chance(0.9) ? [reserveCall(hand, 'refresh_reserve', {}), borrow] : [borrow];
  }
  if (kind < 6) {
    const basisPoints = random.pick([1n, 10n, 500n, 3_000n, 10_000n, random.u64()]);
    return [reserveCall(hand, 'accrue', { basis_points: basisPoints })];
  }
  if (kind < 9) {
    const tokens = balanceOf(hand, universe.tokensOf(universe.admin, universe.fixed.usdc) ?? -1);
    const amount = near(hand, borrowed, borrowed / 2n, tokens);
    return [reserveCall(hand, 'repay', { amount })];
  }
  return [reserveCall(hand, 'refresh_reserve', {})];
}

/** A call of the reserve by its administrator, in the order of the sandbox's IDL. */
function reserveCall({ universe }: Hand, name: string, args: Partial<Args>): Call {
  const { admin, fixed } = universe;
  const tokens = universe.tokensOf(admin, fixed.usdc) ?? admin;
  const places: Readonly<Record<string, Id>> = {
    admin,
    payer: admin,
    source: tokens,
    destination: tokens,
    lending_market: fixed.market,
    lending_market_authority: fixed.marketAuthority,
    reserve: fixed.reserve,
    reserve_liquidity_mint: fixed.usdc,
    reserve_liquidity_supply: fixed.reserveSupply,
    token_program: fixed.tokenProgram,
  };
  const metas = metasOf({ program: 'reserve', name }, places);
  return { program: 'reserve', name, args: withArgs(args), metas, bytes: 'whole' };
}
