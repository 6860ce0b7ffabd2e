import { ASSOCIATED_TOKEN_PROGRAM_ID, TOKEN_PROGRAM_ID } from '@solana/spl-token';
import {
  type AccountMeta,
  type Keypair,
  PublicKey,
  SystemProgram,
  SYSVAR_INSTRUCTIONS_PUBKEY,
  TransactionInstruction,
} from '@solana/web3.js';
import { type Outcome, PROGRAM_ID, send, tokenAddress, USDC_MINT } from './chain.ts';
import { RESERVE_PROGRAM_ID, reserveAccounts } from './reserve.ts';
import { coder, idl, type InstructionName, toCoder } from './idl.ts';
import type { World } from './world.ts';

/** One instruction before it is sent, so that a test can spoil one part of it. */
export interface Call {
  readonly name: InstructionName;
  readonly args: Record<string, unknown>;
  readonly accounts: readonly NamedMeta[];
  readonly signers: readonly Keypair[];
  /** Replaces the encoded arguments. */
  readonly data?: Buffer;
}

interface NamedMeta extends AccountMeta {
  readonly name: string;
}

export const EVENT_AUTHORITY = PublicKey.findProgramAddressSync(
  [Buffer.from('__event_authority')],
  PROGRAM_ID,
)[0];

/** `others` overrides addresses of the world. */
export function valid(
  world: World,
  name: InstructionName,
  args: Record<string, unknown>,
  others: Record<string, PublicKey> = {},
): Call {
  const addresses: Record<string, PublicKey> = {
    owner: world.owner.publicKey,
    vault: world.vault,
    vault_token_account: world.vaultTokenAccount,
    session: world.session,
    session_key: world.sessionKey.publicKey,
    authority: world.sessionKey.publicKey,
    yield_authority: world.yieldAuthority,
    transit_token_account: world.transit,
    collateral_token_account: world.collateral,
    reserve: reserveAccounts.reserve,
    lending_market: reserveAccounts.lending_market,
    lending_market_authority: reserveAccounts.lending_market_authority,
    liquidity_supply: reserveAccounts.reserve_liquidity_supply,
    collateral_mint: reserveAccounts.reserve_collateral_mint,
    instructions_sysvar: SYSVAR_INSTRUCTIONS_PUBKEY,
    reserve_program: RESERVE_PROGRAM_ID,
    recipient: world.recipient,
    recipient_token_account: tokenAddress(world.recipient),
    owner_token_account: tokenAddress(world.owner.publicKey),
    usdc_mint: USDC_MINT,
    token_program: TOKEN_PROGRAM_ID,
    associated_token_program: ASSOCIATED_TOKEN_PROGRAM_ID,
    system_program: SystemProgram.programId,
    event_authority: EVENT_AUTHORITY,
    program: PROGRAM_ID,
    ...others,
  };
  const definition = idl.instructions.find((one) => one.name === name);
  if (definition === undefined) throw new Error(`no instruction ${name}`);
  const accounts = definition.accounts.map((account): NamedMeta => {
    const pubkey = addresses[account.name];
    if (pubkey === undefined || 'accounts' in account) throw new Error(`account ${account.name}`);
    const { signer: isSigner = false, writable: isWritable = false } = account;
    return { name: account.name, pubkey, isSigner, isWritable };
  });
  const signers = [world.owner, world.sessionKey].filter((key) =>
    accounts.some((account) => account.isSigner && account.pubkey.equals(key.publicKey)),
  );
  return { name, args, accounts, signers };
}

/** Sends calls as one transaction, with other programs' instructions; the fee payer signs first. */
export function attempt(world: World, ...calls: (Call | TransactionInstruction)[]): Outcome {
  const signers = new Set(calls.flatMap(signersOf));
  const instructions = calls.map((call) =>
    call instanceof TransactionInstruction ? call : toInstruction(call),
  );
  return send(world.svm, instructions, [world.payer, ...signers]);
}

/** Like {@link attempt}; throws when the transaction fails. */
export function run(world: World, ...calls: (Call | TransactionInstruction)[]): Outcome {
  const outcome = attempt(world, ...calls);
  if (outcome.failed) throw new Error(`the call failed:\n${outcome.logs.join('\n')}`);
  return outcome;
}

export function encode(call: Call): Buffer {
  return call.data ?? coder.instruction.encode(call.name, toCoder(call.args));
}

export function toInstruction(call: Call): TransactionInstruction {
  const keys = call.accounts.map(({ pubkey, isSigner, isWritable }) => ({
    pubkey,
    isSigner,
    isWritable,
  }));
  return new TransactionInstruction({ programId: PROGRAM_ID, keys, data: encode(call) });
}

function signersOf(call: Call | TransactionInstruction): readonly Keypair[] {
  return call instanceof TransactionInstruction ? [] : call.signers;
}

/** The address that the call has in the place of this account. */
export function accountIn(call: Call, name: string): PublicKey {
  const meta = call.accounts.find((one) => one.name === name);
  if (meta === undefined) throw new Error(`no account ${name}`);
  return meta.pubkey;
}

export function changeMeta(call: Call, name: string, change: Partial<AccountMeta>): Call {
  if (!call.accounts.some((meta) => meta.name === name)) throw new Error(`no account ${name}`);
  const accounts = call.accounts.map((meta) =>
    meta.name === name ? { ...meta, ...change } : meta,
  );
  return { ...call, accounts };
}
