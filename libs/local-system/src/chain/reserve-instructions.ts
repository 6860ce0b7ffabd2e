import { SANDBOX_RESERVE } from '@agent-wallet/chain';
import { TOKEN_PROGRAM_ID } from '@solana/spl-token';
import { PublicKey, SystemProgram, TransactionInstruction } from '@solana/web3.js';
import idl from '../../../../program/idl/reserve_sandbox.json' with { type: 'json' };

const PROGRAM = new PublicKey(SANDBOX_RESERVE.programId);
const RESERVE = new PublicKey(SANDBOX_RESERVE.reserve);

/** Holds the collateral of the first unit forever. */
const COLLATERAL_SUPPLY = PublicKey.findProgramAddressSync(
  [Buffer.from('reserve_coll_supply'), RESERVE.toBytes()],
  PROGRAM,
)[0];

/** The accounts that `init_reserve` creates; each needs its rent beforehand. */
export const RESERVE_ACCOUNTS: readonly string[] = [
  SANDBOX_RESERVE.lendingMarket,
  SANDBOX_RESERVE.reserve,
  SANDBOX_RESERVE.liquiditySupply,
  SANDBOX_RESERVE.collateralMint,
  COLLATERAL_SUPPLY.toBase58(),
];

/** The administrator of the reserve and the USDC account it lends from and repays with. */
export type ReserveAdmin = {
  readonly key: PublicKey;
  readonly tokenAccount: PublicKey;
  readonly usdcMint: PublicKey;
};

/**
 * One instruction of the sandbox reserve that its administrator signs, by its name in the IDL.
 * `amount`, its only argument, is in base units or basis points; `refresh_reserve` has none.
 */
export function reserveInstruction(
  name: 'init_reserve' | 'refresh_reserve' | 'accrue' | 'set_rate' | 'borrow_out' | 'repay',
  admin: ReserveAdmin,
  amount?: bigint,
): TransactionInstruction {
  const definition = idl.instructions.find((one) => one.name === name);
  if (definition === undefined) throw new TypeError(`the reserve has no instruction ${name}`);
  const addresses: Readonly<Record<string, PublicKey>> = {
    admin: admin.key,
    payer: admin.key,
    admin_liquidity: admin.tokenAccount,
    destination: admin.tokenAccount,
    source: admin.tokenAccount,
    lending_market: new PublicKey(SANDBOX_RESERVE.lendingMarket),
    lending_market_authority: new PublicKey(SANDBOX_RESERVE.lendingMarketAuthority),
    reserve: RESERVE,
    reserve_liquidity_mint: admin.usdcMint,
    reserve_liquidity_supply: new PublicKey(SANDBOX_RESERVE.liquiditySupply),
    reserve_collateral_mint: new PublicKey(SANDBOX_RESERVE.collateralMint),
    reserve_collateral_supply: COLLATERAL_SUPPLY,
    token_program: TOKEN_PROGRAM_ID,
    system_program: SystemProgram.programId,
  };
  const keys = definition.accounts.map((account) => {
    const pubkey = addresses[account.name];
    if (pubkey === undefined) throw new TypeError(`the reserve's ${account.name} is not known`);
    const isSigner = 'signer' in account && account.signer;
    return { pubkey, isSigner, isWritable: 'writable' in account && account.writable };
  });
  const argument = Buffer.alloc(amount === undefined ? 0 : 8);
  if (amount !== undefined) argument.writeBigUInt64LE(amount);
  const data = Buffer.concat([Buffer.from(definition.discriminator), argument]);
  return new TransactionInstruction({ programId: PROGRAM, keys, data });
}
