import { INSTRUCTION_BIT, type LimitState, type YieldState } from './mirrored-limits.ts';
import { mostSpendable } from './spend-window.ts';

/** Base units that can leave the vault in this second, within 86 400 s from it, and ever. */
export type Spendable = {
  readonly now: bigint;
  readonly within24h: bigint;
  readonly untilExpiry: bigint;
};

/** The holdings of the vault. `value` is the redemption value of all its collateral. */
export type Holdings = YieldState & { readonly value: bigint };

/** The worst cases of a stolen session key, in base units. */
export type BlastRadius = {
  /** What the limits allow, regardless of the vault's present and future holdings. */
  readonly byLimits: Spendable;
  /** The same, limited to the holdings that the key can reach now. */
  readonly ofHoldings: Spendable;
  /** What the key could move now into the yield reserve or out of it, within the wallet. */
  readonly yieldDeposit: bigint;
  readonly yieldWithdraw: bigint;
};

const DAY_SECONDS = 86_400n;
const WHOLE_BP = 10_000n;
const NOTHING: Spendable = { now: 0n, within24h: 0n, untilExpiry: 0n };

/**
 * The worst cases of a stolen session key, from the program's own limits (`predictProgramRefusal`,
 * and the rolling window of the program).
 *
 * A transfer may not exceed `maxPerTx`, but the number of transfers is unlimited, so only the cap
 * counts: `dailyCap` minus what the window counts at the end of the period, and once more each time
 * the window releases it (`mostSpendable`). A session that is paused, expired, without the transfer
 * bit or without recipients moves nothing out. With the bit for `yield_withdraw` it also reaches
 * the deployed amount. `ofHoldings` ignores later deposits.
 */
export function blastRadius(
  session: LimitState,
  holdings: Holdings,
  nowSeconds: bigint,
): BlastRadius {
  const can = (instruction: keyof typeof INSTRUCTION_BIT): boolean =>
    !session.paused &&
    nowSeconds <= session.expiry &&
    (session.allowedInstructions & INSTRUCTION_BIT[instruction]) !== 0;
  const { value, liquid } = holdings;
  const yieldWithdraw = can('yield_withdraw') ? value : 0n;
  const byLimits =
    can('transfer_usdc') && session.recipients.length > 0
      ? spendable(session, nowSeconds)
      : NOTHING;
  return {
    byLimits,
    ofHoldings: atMost(byLimits, liquid + yieldWithdraw),
    yieldDeposit: can('yield_deposit') ? depositable(holdings) : 0n,
    yieldWithdraw,
  };
}

/**
 * The worst cases of several stolen sessions of one wallet, as after a takeover of the backend:
 * their limits add up, the holdings count once.
 */
export function sumBlastRadius(
  sessions: readonly BlastRadius[],
  { liquid }: Pick<Holdings, 'liquid'>,
): BlastRadius {
  const most = (of: (one: BlastRadius) => bigint): bigint =>
    sessions.reduce((highest, one) => (of(one) > highest ? of(one) : highest), 0n);
  const sum = (of: (one: BlastRadius) => bigint): bigint =>
    sessions.reduce((total, one) => total + of(one), 0n);
  const byLimits: Spendable = {
    now: sum((one) => one.byLimits.now),
    within24h: sum((one) => one.byLimits.within24h),
    untilExpiry: sum((one) => one.byLimits.untilExpiry),
  };
  const yieldWithdraw = most((one) => one.yieldWithdraw);
  return {
    byLimits,
    ofHoldings: atMost(byLimits, liquid + yieldWithdraw),
    yieldDeposit: most((one) => one.yieldDeposit),
    yieldWithdraw,
  };
}

function spendable({ window, dailyCap, expiry }: LimitState, nowSeconds: bigint): Spendable {
  const until = (untilSeconds: bigint): bigint =>
    mostSpendable(window, dailyCap, { nowSeconds, untilSeconds });
  const tomorrow = nowSeconds + DAY_SECONDS;
  return {
    now: until(nowSeconds),
    within24h: until(tomorrow < expiry ? tomorrow : expiry),
    untilExpiry: until(expiry),
  };
}

function atMost({ now, within24h, untilExpiry }: Spendable, limit: bigint): Spendable {
  const bounded = (amount: bigint): bigint => (amount < limit ? amount : limit);
  return {
    now: bounded(now),
    within24h: bounded(within24h),
    untilExpiry: bounded(untilExpiry),
  };
}

/**
 * The largest sum of deposits that `max_deployed_fraction_bp` allows if none is withdrawn:
 * (deployed + d) · 10 000 ≤ bp · total, where a deposit does not change the total.
 */
function depositable({ liquid, deployed, maxDeployedFractionBp }: YieldState): bigint {
  const most = (BigInt(maxDeployedFractionBp) * (liquid + deployed)) / WHOLE_BP - deployed;
  if (most <= 0n) return 0n;
  return most < liquid ? most : liquid;
}
