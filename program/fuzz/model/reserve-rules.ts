import { MAX_U64, type Reserve, WHOLE_BASIS_POINTS } from '../world/account.ts';
import type { Id } from '../world/universe.ts';
import { accountAt, moveTokens, type Refusal, type Scene } from './scene.ts';

/** Largest divisor of the sandbox reserve's proportions. */
const MAX_DIVISOR = 2n ** 62n;

/** Error numbers of the reserve. */
const OVERFLOW = new Set(['reserve 6002']);
const INVALID_AMOUNT = new Set(['reserve 6003']);
const NO_LIQUIDITY = new Set(['reserve 6008']);
const STALE = new Set(['reserve 6009']);
const OVER_LIMIT = new Set(['reserve 6090']);

/** A deposit mints collateral rounded down and takes its price rounded up. */
export function quoteDeposit(
  reserve: Reserve,
  amount: bigint,
): { readonly refusal: Refusal; readonly taken: bigint; readonly minted: bigint } {
  const total = reserve.available + reserve.borrowed;
  if (total > MAX_U64) return refused(OVERFLOW);
  const minted = proportion(amount, reserve.collateral, total);
  if (minted === null) return refused(OVERFLOW);
  const worth = proportion(minted, total, reserve.collateral);
  if (worth === null) return refused(OVERFLOW);
  const taken = worth * reserve.collateral < minted * total ? worth + 1n : worth;
  if (minted === 0n) return refused(INVALID_AMOUNT);
  if (total + taken > MAX_U64 || total + taken > reserve.depositLimit) return refused(OVER_LIMIT);
  if (reserve.collateral + minted > MAX_U64) return refused(OVERFLOW);
  return { refusal: null, taken, minted };
}

function refused(refusal: Refusal) {
  return { refusal, taken: 0n, minted: 0n };
}

/** A redemption pays the value of the collateral, rounded down, in full or not at all. */
export function quoteRedeem(
  reserve: Reserve,
  collateral: bigint,
): { readonly refusal: Refusal; readonly paid: bigint } {
  if (collateral > reserve.collateral) return { refusal: INVALID_AMOUNT, paid: 0n };
  const total = reserve.available + reserve.borrowed;
  if (total > MAX_U64) return { refusal: OVERFLOW, paid: 0n };
  const paid = proportion(collateral, total, reserve.collateral);
  if (paid === null || paid === 0n) return { refusal: INVALID_AMOUNT, paid: 0n };
  if (paid > reserve.available) return { refusal: NO_LIQUIDITY, paid: 0n };
  return { refusal: null, paid };
}

export function reserveIn({ model, universe }: Pick<Scene, 'model' | 'universe'>): Reserve {
  const data = model.accounts.get(universe.fixed.reserve)?.data;
  if (data?.kind !== 'reserve') throw new Error('there is no reserve');
  return data;
}

/** Books a movement; the reserve then counts as stale. */
export function bookReserve(
  scene: Scene,
  change: { readonly available: bigint; readonly collateral: bigint },
): void {
  const reserve = reserveIn(scene);
  reserve.slot = scene.model.slot;
  reserve.stale = true;
  reserve.available += change.available;
  reserve.collateral += change.collateral;
  const mint = accountAt(scene, scene.universe.fixed.collateralMint)?.data;
  if (mint?.kind === 'mint') mint.supply += change.collateral;
}

/** Calls of the reserve's administrator, which are always well formed. */
export function reserveCall(scene: Scene): Refusal {
  const reserve = reserveIn(scene);
  const { amount, basis_points: basisPoints } = scene.call.args;
  switch (scene.call.name) {
    case 'refresh_reserve':
      reserve.slot = scene.model.slot;
      reserve.stale = false;
      return null;
    case 'accrue': {
      const interest = proportion(reserve.borrowed, basisPoints, WHOLE_BASIS_POINTS);
      if (interest === null) return OVERFLOW;
      if (interest === 0n) return INVALID_AMOUNT;
      if (reserve.borrowed + interest > MAX_U64) return OVERFLOW;
      reserve.borrowed += interest;
      reserve.slot = scene.model.slot;
      reserve.stale = true;
      return null;
    }
    case 'borrow_out':
      return borrowOut(scene, reserve, amount, scene.at('destination'));
    case 'repay': {
      const taken = amount < reserve.borrowed ? amount : reserve.borrowed;
      if (taken === 0n) return INVALID_AMOUNT;
      if (reserve.available + taken > MAX_U64) return OVERFLOW;
      const { reserveSupply } = scene.universe.fixed;
      const refusal = moveTokens(scene, scene.at('source'), reserveSupply, taken);
      if (refusal !== null) return refusal;
      reserve.borrowed -= taken;
      reserve.available += taken;
      reserve.slot = scene.model.slot;
      reserve.stale = true;
      return null;
    }
    default:
      throw new Error(`no rule for ${scene.call.name}`);
  }
}

function borrowOut(scene: Scene, reserve: Reserve, amount: bigint, to: Id): Refusal {
  if (reserve.stale || reserve.slot !== scene.model.slot) return STALE;
  if (amount === 0n) return INVALID_AMOUNT;
  if (amount > reserve.available) return NO_LIQUIDITY;
  if (reserve.borrowed + amount > MAX_U64) return OVERFLOW;
  const refusal = moveTokens(scene, scene.universe.fixed.reserveSupply, to, amount);
  if (refusal !== null) return refusal;
  reserve.available -= amount;
  reserve.borrowed += amount;
  reserve.stale = true;
  return null;
}

/** `a × b ÷ divisor`, rounded down; null where the sandbox reserve overflows. */
function proportion(a: bigint, b: bigint, divisor: bigint): bigint | null {
  if (divisor === 0n || divisor > MAX_DIVISOR) return null;
  const quotient = (a * b) / divisor;
  return quotient > MAX_U64 ? null : quotient;
}
