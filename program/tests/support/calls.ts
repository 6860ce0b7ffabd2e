import { ASSOCIATED_TOKEN_PROGRAM_ID, TOKEN_PROGRAM_ID } from '@solana/spl-token';
import {
  type AccountMeta,
  type Keypair,
  PublicKey,
  SystemProgram,
  SYSVAR_INSTRUCTIONS_PUBKEY,
  TransactionInstruction,
} from '@solana/web3.js';
import {
  type AccountState,
  editData,
  FIRST_INDEX,
  getAccount,
  type Outcome,
  PROGRAM_ID,
  removeAccount,
  send,
  setAccount,
  tokenAddress,
  tokenBump,
  U64_MAX,
  USDC_MINT,
} from './chain.ts';
import { RESERVE_PROGRAM_ID, reserveAccounts } from './reserve.ts';
import { nextSessionIndex, sessionIndex } from './session-indexes.ts';
import { coder, idl, type InstructionName, toCoder } from './idl.ts';
import { defaultSettings, type SessionSettings, type World } from './world.ts';

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

/** Deadline of every call that takes one, unless the test chooses another; unix seconds. */
export const FAR_DEADLINE = 2n ** 63n - 1n;

/** A change to a valid call, or to the world it runs in. */
export type Mutator = (call: Call, world: World) => Call;

export const EVENT_AUTHORITY = PublicKey.findProgramAddressSync(
  [Buffer.from('__event_authority')],
  PROGRAM_ID,
)[0];

export function initVault(world: World, maxDeployedFractionBp = 5_000): Call {
  const args = { max_deployed_fraction_bp: maxDeployedFractionBp, deadline: FAR_DEADLINE };
  return valid(world, 'init_vault', args);
}

/** With the vault's next index, as the chain has it now. */
export function addSession(world: World, settings: Partial<SessionSettings> = {}): Call {
  const session_index = nextSessionIndex(world);
  const args = { ...defaultSettings(world), ...settings, session_index, deadline: FAR_DEADLINE };
  return valid(world, 'add_session', args);
}

export function updateSessionAllowlist(world: World, recipients: PublicKey[]): Call {
  return valid(world, 'update_session_allowlist', { recipients, ...grantTo(world) });
}

/** The default limits, overridden by `limits`. */
export function updateSessionLimits(
  world: World,
  limits: Partial<Omit<SessionSettings, 'session_pubkey' | 'recipients'>> = {},
): Call {
  const { max_per_tx, daily_cap, expiry, allowed_instructions } = defaultSettings(world);
  const kept = { max_per_tx, daily_cap, expiry, allowed_instructions };
  return valid(world, 'update_session_limits', { ...kept, ...limits, ...grantTo(world) });
}

export function revokeSession(world: World): Call {
  return valid(world, 'revoke_session', { session_index: sessionIndex(world) });
}

export function setPaused(world: World, paused: boolean): Call {
  return valid(world, 'set_paused', { paused, deadline: FAR_DEADLINE });
}

export function setMaxDeployedFraction(world: World, bp: number): Call {
  const args = { max_deployed_fraction_bp: bp, deadline: FAR_DEADLINE };
  return valid(world, 'set_max_deployed_fraction', args);
}

export function migrateVault(world: World): Call {
  return valid(world, 'migrate_vault', {});
}

/** Of the vault as the chain has it now. */
export function closeVault(world: World): Call {
  return valid(world, 'close_vault', { next_session_index: nextSessionIndex(world) });
}

export function ownerWithdraw(world: World, amount = 10n): Call {
  return valid(world, 'owner_withdraw', { amount });
}

/** Arguments of every spend. */
interface SpendArgs {
  amount: bigint;
  spend_seq: bigint;
  session_index: bigint;
  spend_id: number[];
}

interface TransferArgs extends SpendArgs {
  recipient_bump: number;
}

/** Default spend id of every call. */
export const SPEND_ID = Array.from({ length: 16 }, (_, place) => place);

const defaultSpend: SpendArgs = {
  amount: 10n,
  spend_seq: 1n,
  session_index: FIRST_INDEX,
  spend_id: SPEND_ID,
};

/** The default spend, overridden by `args`. */
export function transferUsdc(world: World, args: Partial<TransferArgs> = {}): Call {
  const recipient_bump = tokenBump(world.recipient);
  return valid(world, 'transfer_usdc', { ...defaultSpend, recipient_bump, ...args });
}

export function initYield(world: World): Call {
  return valid(world, 'init_yield', {});
}

interface DepositArgs extends SpendArgs {
  deadline: bigint;
}

export interface YieldArgs extends DepositArgs {
  /** Of a withdrawal only. */
  collateral_amount: bigint;
}

const defaultDeposit: DepositArgs = { ...defaultSpend, deadline: FAR_DEADLINE };

export function yieldDeposit(world: World, args: Partial<DepositArgs> = {}): Call {
  return valid(world, 'yield_deposit', { ...defaultDeposit, ...args });
}

export function yieldWithdraw(world: World, args: Partial<YieldArgs> = {}): Call {
  return valid(world, 'yield_withdraw', { ...defaultDeposit, collateral_amount: 0n, ...args });
}

/** The same call by the owner, without a session. */
export function byOwner(call: Call, world: World): Call {
  const accounts = call.accounts.map((meta) => {
    if (meta.name === 'authority') return { ...meta, pubkey: world.owner.publicKey };
    // The program's own address stands for an omitted optional account.
    if (meta.name === 'session') return { ...meta, pubkey: PROGRAM_ID, isWritable: false };
    return meta;
  });
  return { ...call, accounts, signers: [world.owner] };
}

/** The owner withdraws the largest amount, which redeems this number of collateral units. */
export function redeemByOwner(world: World, collateral_amount: bigint): Call {
  return byOwner(yieldWithdraw(world, { amount: U64_MAX, collateral_amount }), world);
}

/** A token account of the wallet to be swept; by default its collateral, to the owner's account. */
export interface Sweep {
  /** The vault or its yield authority. */
  authority: PublicKey;
  mint: PublicKey;
  token_account: PublicKey;
  /** Null for none. */
  owner_token_account: PublicKey | null;
  token_program: PublicKey;
  close: boolean;
}

export function sweepTokenAccount(world: World, sweep: Partial<Sweep> = {}): Call {
  const {
    authority = world.yieldAuthority,
    mint = reserveAccounts.reserve_collateral_mint,
    token_account = tokenAddress(authority, mint),
    owner_token_account: to = tokenAddress(world.owner.publicKey, mint),
    token_program = TOKEN_PROGRAM_ID,
    close = false,
  } = sweep;
  const owner_token_account = to ?? PROGRAM_ID;
  const others = { authority, mint, token_account, owner_token_account, token_program };
  const call = valid(world, 'sweep_token_account', { close, deadline: FAR_DEADLINE }, others);
  return to === null ? changeMeta(call, 'owner_token_account', { isWritable: false }) : call;
}

export function sweepLamports(world: World): Call {
  return valid(world, 'sweep_lamports', {});
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

/** The account does not sign. */
export function unsigned(name: string): Mutator {
  return (call) => {
    const meta = call.accounts.find((one) => one.name === name);
    const signers = call.signers.filter((one) => !meta?.pubkey.equals(one.publicKey));
    return { ...changeMeta(call, name, { isSigner: false }), signers };
  };
}

export function readonly(name: string): Mutator {
  return (call) => changeMeta(call, name, { isWritable: false });
}

/** Another account in the place of the named one. */
export function replaced(name: string, choose: (world: World) => PublicKey): Mutator {
  return (call, world) => changeMeta(call, name, { pubkey: choose(world) });
}

/** Another signer in the place of the named one. */
export function signedBy(name: string, choose: (world: World) => Keypair): Mutator {
  return (call, world) => {
    const signer = choose(world);
    return { ...changeMeta(call, name, { pubkey: signer.publicKey }), signers: [signer] };
  };
}

/** Other arguments, which may depend on the world. */
export function withArgs(
  change: Record<string, unknown> | ((world: World) => Record<string, unknown>),
): Mutator {
  return (call, world) => {
    const other = typeof change === 'function' ? change(world) : change;
    return { ...call, args: { ...call.args, ...other } };
  };
}

export function withData(change: (data: Buffer) => Buffer): Mutator {
  return (call) => ({ ...call, data: change(encode(call)) });
}

/** Encoded arguments without their last byte. */
export const cutOff = withData((data) => data.subarray(0, -1));

/** Leaves out the last account. */
export const withoutLastAccount: Mutator = (call) => ({
  ...call,
  accounts: call.accounts.slice(0, -1),
});

/** Changes the world before the unchanged call. */
export function after(change: (world: World, call: Call) => void): Mutator {
  return (call, world) => {
    change(world, call);
    return call;
  };
}

/** The named account no longer exists; `dust` lamports remain at its address. */
export function removed(name: string, dust = 0n): Mutator {
  return after((world, call) => removeAccount(world.svm, accountIn(call, name), dust));
}

/** The named account has other data on chain. */
export function edited(name: string, edit: (data: Buffer, world: World) => unknown): Mutator {
  return after((world, call) =>
    editData(world.svm, accountIn(call, name), (data) => void edit(data, world)),
  );
}

/** The named account has another owner, or data of another length, on chain. */
export function changed(
  name: string,
  change: (data: Buffer, world: World) => Partial<AccountState>,
): Mutator {
  return after((world, call) => {
    const address = accountIn(call, name);
    const data = getAccount(world.svm, address)?.data ?? Buffer.alloc(0);
    setAccount(world.svm, address, change(data, world));
  });
}

/** Several changes, in order. */
export function both(...mutators: Mutator[]): Mutator {
  return (call, world) => mutators.reduce((spoiled, mutate) => mutate(spoiled, world), call);
}

/** The last arguments of an instruction that grants something to the session. */
function grantTo(world: World) {
  return { session_index: sessionIndex(world), deadline: FAR_DEADLINE };
}

/** `others` overrides addresses of the world. */
function valid(
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

function encode(call: Call): Buffer {
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

function changeMeta(call: Call, name: string, change: Partial<AccountMeta>): Call {
  if (!call.accounts.some((meta) => meta.name === name)) throw new Error(`no account ${name}`);
  const accounts = call.accounts.map((meta) =>
    meta.name === name ? { ...meta, ...change } : meta,
  );
  return { ...call, accounts };
}
