import { fileURLToPath } from 'node:url';
import { BorshCoder, type Idl } from '@coral-xyz/anchor';
import { TOKEN_PROGRAM_ID } from '@solana/spl-token';
import {
  type Keypair,
  PublicKey,
  SystemProgram,
  SYSVAR_INSTRUCTIONS_PUBKEY,
  TransactionInstruction,
} from '@solana/web3.js';
import type { LiteSVM } from 'litesvm';
import json from '../../idl/reserve_sandbox.json' with { type: 'json' };
import {
  addProgram,
  getAccount,
  type Outcome,
  send,
  setAccount,
  setTokenAccount,
  tokenAddress,
  USDC_MINT,
} from './chain.ts';
import { toCoder } from './idl.ts';

type InstructionName = (typeof json.instructions)[number]['name'];

/** The IDL with the names of the file. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- JSON has no literal types
export const reserveIdl = json as unknown as Idl;
const coder = new BorshCoder(reserveIdl);

export const RESERVE_PROGRAM_ID = new PublicKey(json.address);

const MARKET = reserveAddress('market');
const RESERVE = reserveAddress('reserve');

/** The sandbox reserve's accounts, named as in its IDL. */
export const reserveAccounts = {
  lending_market: MARKET,
  lending_market_authority: reserveAddress('lma', MARKET),
  reserve: RESERVE,
  reserve_liquidity_mint: USDC_MINT,
  reserve_liquidity_supply: reserveAddress('reserve_liq_supply', RESERVE),
  reserve_collateral_mint: reserveAddress('reserve_coll_mint', RESERVE),
  reserve_collateral_supply: reserveAddress('reserve_coll_supply', RESERVE),
};

export const RESERVE_FILE =
  process.env['RESERVE_SANDBOX_SO'] ??
  fileURLToPath(new URL('../../artifacts/reserve_sandbox.so', import.meta.url));

/** A call of the reserve, without the reserve's own accounts. */
export interface ReserveCall {
  readonly name: InstructionName;
  /** The only argument, if the instruction has one. */
  readonly amount?: bigint;
  readonly signer: PublicKey;
  readonly accounts?: Readonly<Record<string, PublicKey>>;
}

/** The instruction of a call; `accounts` adds to the reserve's accounts or overrides them. */
export function reserveInstruction(call: ReserveCall): TransactionInstruction {
  const definition = reserveIdl.instructions.find((one) => one.name === call.name);
  if (definition === undefined) throw new Error(`no instruction ${call.name}`);
  const addresses: Readonly<Record<string, PublicKey>> = {
    owner: call.signer,
    admin: call.signer,
    payer: call.signer,
    collateral_token_program: TOKEN_PROGRAM_ID,
    liquidity_token_program: TOKEN_PROGRAM_ID,
    token_program: TOKEN_PROGRAM_ID,
    system_program: SystemProgram.programId,
    instruction_sysvar_account: SYSVAR_INSTRUCTIONS_PUBKEY,
    ...reserveAccounts,
    ...call.accounts,
  };
  const keys = definition.accounts.map((account) => {
    const pubkey = addresses[account.name];
    if (pubkey === undefined || 'accounts' in account) throw new Error(`account ${account.name}`);
    const { signer: isSigner = false, writable: isWritable = false } = account;
    return { pubkey, isSigner, isWritable };
  });
  const args = definition.args.map(({ name }) => [name, call.amount]);
  const data = coder.instruction.encode(call.name, toCoder(Object.fromEntries(args)));
  return new TransactionInstruction({ programId: RESERVE_PROGRAM_ID, keys, data });
}

/** Adds the program and its reserve, administered by `admin`. */
export function addReserve(svm: LiteSVM, admin: Keypair, depositLimit = 1_000_000_000_000n): void {
  addProgram(svm, RESERVE_PROGRAM_ID, RESERVE_FILE);
  setAccount(svm, admin.publicKey, { lamports: 1_000_000_000n });
  const adminLiquidity = setTokenAccount(svm, admin.publicKey, 1_000_000_000n);
  fundReserveAccounts(svm);
  const outcome = send(
    svm,
    [
      reserveInstruction({
        name: 'init_reserve',
        amount: depositLimit,
        signer: admin.publicKey,
        accounts: { admin_liquidity: adminLiquidity },
      }),
    ],
    [admin],
  );
  if (outcome.failed) throw new Error(`init_reserve failed:\n${outcome.logs.join('\n')}`);
}

/** Gives the addresses of the reserve's accounts the rent that `init_reserve` needs. */
export function fundReserveAccounts(svm: LiteSVM): void {
  const made = [
    reserveAccounts.lending_market,
    reserveAccounts.reserve,
    reserveAccounts.reserve_liquidity_supply,
    reserveAccounts.reserve_collateral_mint,
    reserveAccounts.reserve_collateral_supply,
  ];
  for (const address of made) setAccount(svm, address, { lamports: 100_000_000n });
}

/** Lends tokens of the reserve to `admin`. */
export function borrowOut(svm: LiteSVM, admin: Keypair, amount: bigint): Outcome {
  const signer = admin.publicKey;
  const destination = tokenAddress(signer);
  const refresh = reserveInstruction({ name: 'refresh_reserve', signer });
  const borrow: ReserveCall = { name: 'borrow_out', amount, signer, accounts: { destination } };
  return send(svm, [refresh, reserveInstruction(borrow)], [admin]);
}

/** Increases the debt by `basisPoints`. */
export function accrue(svm: LiteSVM, admin: Keypair, basisPoints: bigint): Outcome {
  const call = reserveInstruction({ name: 'accrue', amount: basisPoints, signer: admin.publicKey });
  return send(svm, [call], [admin]);
}

/** Sets the yearly interest rate; debts grow with every slot from then on. */
export function setRate(svm: LiteSVM, admin: Keypair, basisPoints: bigint): Outcome {
  const signer = admin.publicKey;
  const call = reserveInstruction({ name: 'set_rate', amount: basisPoints, signer });
  return send(svm, [call], [admin]);
}

/** Repays at most `amount` of the debt from the payer's token account. */
export function repay(svm: LiteSVM, payer: Keypair, amount: bigint): Outcome {
  const signer = payer.publicKey;
  const accounts = { source: tokenAddress(signer) };
  return send(svm, [reserveInstruction({ name: 'repay', amount, signer, accounts })], [payer]);
}

/** Amounts of the reserve's account, read at Kamino Lend's offsets. */
export function readReserve(svm: LiteSVM): {
  available: bigint;
  borrowedSf: bigint;
  collateral: bigint;
  data: Buffer;
} {
  const data = getAccount(svm, RESERVE)?.data ?? Buffer.alloc(0);
  return {
    available: data.readBigUInt64LE(224),
    borrowedSf: data.readBigUInt64LE(232) + (data.readBigUInt64LE(240) << 64n),
    collateral: data.readBigUInt64LE(2_592),
    data,
  };
}

function reserveAddress(seed: string, of?: PublicKey): PublicKey {
  const seeds = [Buffer.from(seed), ...(of === undefined ? [] : [of.toBuffer()])];
  return PublicKey.findProgramAddressSync(seeds, RESERVE_PROGRAM_ID)[0];
}
