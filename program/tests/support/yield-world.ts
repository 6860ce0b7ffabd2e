import { run } from './call.ts';
import { yieldDeposit } from './calls.ts';
import { editData, tokenBalance } from './chain.ts';
import { accrue, borrowOut, repay, reserveAccounts } from './reserve.ts';
import { read, RESERVE_ADMIN, type World, worldWithReserve } from './world.ts';

/**
 * A world in which 99 base units were deployed and earned: 100 units of collateral, of which the
 * vault has 99, are worth 150. All of it can be paid out with `isLiquid`, else 50.
 */
export function worldWithInterest(isLiquid = true, label = ''): World {
  const world = worldWithReserve(label);
  run(world, yieldDeposit(world, { amount: 99n }));
  borrowOut(world.svm, RESERVE_ADMIN, 50n);
  accrue(world.svm, RESERVE_ADMIN, 10_000n);
  if (isLiquid) repay(world.svm, RESERVE_ADMIN, 100n);
  return world;
}

/** A world in which the 99 base units that were deployed are lost. */
export function worldWithLoss(): World {
  const world = worldWithInterest();
  loseCollateral(world);
  return world;
}

/** No collateral is left, whatever became of it. */
export function loseCollateral({ svm, collateral }: World): void {
  editData(svm, collateral, (data) => void data.writeBigUInt64LE(0n, 64));
}

/** Base units and collateral units by account, and the deployed amount. */
export function balances(
  world: World,
): Record<'vault' | 'transit' | 'collateral' | 'reserve' | 'deployed', bigint> {
  const deployed = read(world, 'Vault', world.vault)['deployed_amount'];
  if (typeof deployed !== 'bigint') throw new TypeError('deployed_amount is a bigint');
  return {
    vault: tokenBalance(world.svm, world.vaultTokenAccount),
    transit: tokenBalance(world.svm, world.transit),
    collateral: tokenBalance(world.svm, world.collateral),
    reserve: tokenBalance(world.svm, reserveAccounts.reserve_liquidity_supply),
    deployed,
  };
}
