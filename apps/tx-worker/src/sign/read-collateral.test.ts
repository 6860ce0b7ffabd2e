import { type AccountSnapshot, createWalletProgram, SANDBOX_RESERVE } from '@agent-wallet/chain';
import { isAppError } from '@agent-wallet/errors';
import bs58 from 'bs58';
import { expect, test } from 'vitest';
import { createReadCollateral } from './read-collateral.ts';

const program = createWalletProgram({
  programId: 'bPnk5YbjddraY6VFyhAFS5at5FXNjEtCoDARzTL8jBm',
  usdcMint: '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU',
});
const vaultPda = program.addresses.vaultPda('CQZrTbkk1MwyhHtTG1wqJr8YrVk7oHK8h3E2C3tKgiDD');
const { addresses } = program;
const held = addresses.ata(addresses.yieldPda(vaultPda), SANDBOX_RESERVE.collateralMint);

/** 1 550 for 1 000 of collateral, 500 of them available. */
function reserveAccount(): AccountSnapshot {
  const data = Buffer.alloc(8_624);
  data.write('2bf2ccca1af73b7f', 0, 'hex');
  data.writeBigUInt64LE(1n, 8);
  data.set(bs58.decode(SANDBOX_RESERVE.lendingMarket), 32);
  data.set(bs58.decode(SANDBOX_RESERVE.liquiditySupply), 160);
  data.writeBigUInt64LE(500n, 224);
  data.writeBigUInt64LE((1_050n << 60n) & ((1n << 64n) - 1n), 232);
  data.writeBigUInt64LE(1_050n >> 4n, 240);
  data.set(bs58.decode(SANDBOX_RESERVE.collateralMint), 2_560);
  data.writeBigUInt64LE(1_000n, 2_592);
  return { address: SANDBOX_RESERVE.reserve, owner: SANDBOX_RESERVE.programId, lamports: 1n, data };
}

function collateralAccount(amount: bigint): AccountSnapshot {
  const data = Buffer.alloc(165);
  data.writeBigUInt64LE(amount, 64);
  data.writeUInt8(1, 108);
  const owner = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
  return { address: held, owner, lamports: 1n, data };
}

type Answer = { accounts?: (AccountSnapshot | null)[] };

/** Reads the collateral of 300 on a chain with these accounts, after a settlement at slot 9. */
async function request(answer: Answer, reserve = SANDBOX_RESERVE): Promise<bigint | string> {
  const readCollateral = createReadCollateral({
    program,
    reserve,
    rpc: {
      accounts: async (requested, options) => {
        expect(requested).toEqual([reserve.reserve, held]);
        expect(options).toEqual({ commitment: 'confirmed', minContextSlot: 9n });
        const accounts = [reserveAccount(), collateralAccount(999n)];
        return { slot: 9n, accounts, ...answer };
      },
    },
  });
  try {
    return await readCollateral({ vaultPda, lastSettledSlot: 9n }, 300n);
  } catch (error) {
    if (isAppError(error)) return error.code;
    throw error;
  }
}

test('a withdrawal redeems the least collateral that brings its amount', async () => {
  expect(await request({})).toBe(194n);
});

test('no more is redeemed than is held, and at least one unit is tried', async () => {
  expect(await request({ accounts: [reserveAccount(), collateralAccount(100n)] })).toBe(100n);
  expect(await request({ accounts: [reserveAccount(), null] })).toBe(1n);
});

test('a reserve that is not there is a fault', async () => {
  expect(await request({ accounts: [null, collateralAccount(5n)] })).toBe('INTERNAL');
  expect(await request({ accounts: [collateralAccount(5n), collateralAccount(5n)] })).toBe(
    'INTERNAL',
  );
});
