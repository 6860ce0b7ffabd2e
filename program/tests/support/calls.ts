import { TOKEN_PROGRAM_ID } from '@solana/spl-token';
import type { PublicKey } from '@solana/web3.js';
import { type Call, changeMeta, valid } from './call.ts';
import { FIRST_INDEX, PROGRAM_ID, tokenAddress, tokenBump, U64_MAX } from './chain.ts';
import { reserveAccounts } from './reserve.ts';
import { nextSessionIndex, sessionIndex } from './session-indexes.ts';
import { defaultSettings, type SessionSettings, type World } from './world.ts';

/** Deadline of every call that takes one, unless the test chooses another; unix seconds. */
export const FAR_DEADLINE = 2n ** 63n - 1n;

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

/** The last arguments of an instruction that grants something to the session. */
function grantTo(world: World) {
  return { session_index: sessionIndex(world), deadline: FAR_DEADLINE };
}
