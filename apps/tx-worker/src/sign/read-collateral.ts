import {
  collateralToRedeem,
  decodeReserve,
  type Reserve,
  type Rpc,
  tokenAmountOf,
  type WalletProgram,
} from '@agent-wallet/chain';
import { AppError } from '@agent-wallet/errors';
import type { Lane } from '@agent-wallet/spend';

type CollateralDeps = {
  readonly rpc: Pick<Rpc, 'accounts'>;
  readonly program: WalletProgram;
  readonly reserve: Reserve | null;
};

type ReadCollateral = (
  lane: Pick<Lane, 'vaultPda' | 'lastSettledSlot'>,
  amount: bigint,
) => Promise<bigint>;

/**
 * How much collateral a withdrawal of so many base units redeems, from the reserve as it is now.
 * Throws RPC_UNAVAILABLE, and INTERNAL where there is no such reserve.
 */
export function createReadCollateral({ rpc, program, reserve }: CollateralDeps): ReadCollateral {
  return async ({ vaultPda, lastSettledSlot }, amount) => {
    if (reserve === null) throw new AppError('INTERNAL', { reason: 'no reserve on this chain' });
    const { addresses } = program;
    const account = addresses.ata(addresses.yieldPda(vaultPda), reserve.collateralMint);
    const read = await rpc.accounts([reserve.reserve, account], {
      commitment: 'confirmed',
      // What the wallet's last spend deposited must be in it.
      minContextSlot: lastSettledSlot,
    });
    const shown = read.accounts[0] ?? null;
    const state = shown === null ? null : decodeReserve(reserve, shown);
    if (state === null) throw new AppError('INTERNAL', { reason: 'the reserve cannot be read' });
    const held = tokenAmountOf(read.accounts[1] ?? null);
    return collateralToRedeem(state, { held, amount, slot: read.slot });
  };
}
