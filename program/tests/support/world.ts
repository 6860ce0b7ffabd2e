import { type Keypair, PublicKey } from '@solana/web3.js';
import type { LiteSVM } from 'litesvm';
import { addSession, initVault, initYield, setMaxDeployedFraction, SPEND_ID } from './calls.ts';
import { run } from './call.ts';
import {
  computedOnce,
  createChain,
  FIRST_INDEX,
  getAccount,
  keypair,
  NOW,
  passSlots,
  PROGRAM_ID,
  setAccount,
  setMint,
  setTokenAccount,
  tokenAddress,
  tokenBalance,
} from './chain.ts';
import { coder, recordFromCoder } from './idl.ts';
import { addReserve, reserveAccounts } from './reserve.ts';

/** USDC base units in the vault of a new world. */
export const VAULT_BALANCE = 1_000_000_000n;

/** One chain with the people and addresses of one wallet. */
export interface World {
  readonly svm: LiteSVM;
  /** Pays fees; no instruction lists it. */
  readonly payer: Keypair;
  readonly owner: Keypair;
  readonly stranger: Keypair;
  readonly sessionKey: Keypair;
  readonly recipient: PublicKey;
  readonly vault: PublicKey;
  readonly vaultTokenAccount: PublicKey;
  readonly session: PublicKey;
  /** Owns the transit and the collateral account. */
  readonly yieldAuthority: PublicKey;
  readonly transit: PublicKey;
  readonly collateral: PublicKey;
}

/** Limits of a session as `add_session` takes them. */
export interface SessionSettings {
  session_pubkey: PublicKey;
  max_per_tx: bigint;
  daily_cap: bigint;
  expiry: bigint;
  allowed_instructions: number;
  recipients: PublicKey[];
}

const programAddress = computedOnce(
  (...seeds: Buffer[]) => seeds.map((seed) => seed.toString('hex')).join(' '),
  (...seeds) => PublicKey.findProgramAddressSync(seeds, PROGRAM_ID)[0],
);

export function vaultAddress(owner: PublicKey): PublicKey {
  return programAddress(Buffer.from('vault'), owner.toBuffer());
}

export function sessionAddress(vault: PublicKey, sessionKey: PublicKey): PublicKey {
  return programAddress(Buffer.from('session'), vault.toBuffer(), sessionKey.toBuffer());
}

export function yieldAddress(vault: PublicKey): PublicKey {
  return programAddress(Buffer.from('yield'), vault.toBuffer());
}

/** A world with funded people and no accounts of the program; `label` varies the keys. */
export function emptyWorld(label = '', programId = PROGRAM_ID): World {
  const svm = createChain(programId);
  const [payer, owner, stranger, sessionKey, recipient] = [
    keypair(`payer${label}`),
    keypair(`owner${label}`),
    keypair(`stranger${label}`),
    keypair(`session${label}`),
    keypair(`recipient${label}`).publicKey,
  ];
  for (const person of [payer, owner, stranger]) {
    setAccount(svm, person.publicKey, { lamports: 1_000_000_000n });
  }
  return {
    svm,
    payer,
    owner,
    stranger,
    sessionKey,
    recipient,
    ...addressesOf(owner.publicKey, sessionKey.publicKey),
  };
}

/** A world whose owner has a vault with {@link VAULT_BALANCE}. */
export function worldWithVault(label = ''): World {
  const world = emptyWorld(label);
  run(world, initVault(world));
  setTokenAccount(world.svm, world.vault, VAULT_BALANCE);
  return world;
}

/** A world whose owner created a vault in the slot before and never used it. */
export function worldWithEmptyVault(label = ''): World {
  const world = emptyWorld(label);
  run(world, initVault(world));
  passSlots(world.svm, 1n);
  return world;
}

/** A world in which the owner has a token account beside the vault. */
export function worldWithFundedOwner(label = ''): World {
  const world = worldWithVault(label);
  setTokenAccount(world.svm, world.owner.publicKey, 0n);
  return world;
}

/** A world with a vault and a reserve, and no accounts for yield yet. */
export function worldBeforeYield(label = ''): World {
  const world = worldWithVault(label);
  addReserve(world.svm, RESERVE_ADMIN);
  return world;
}

export function defaultSettings(world: World): SessionSettings {
  return {
    session_pubkey: world.sessionKey.publicKey,
    max_per_tx: 60n,
    daily_cap: 100n,
    expiry: NOW + 30n * 86_400n,
    allowed_instructions: 1,
    recipients: [world.recipient],
  };
}

/** A world with a session that may pay the recipient, who has a token account. */
export function worldWithSession(settings: Partial<SessionSettings> = {}, label = ''): World {
  const world = worldWithVault(label);
  run(world, addSession(world, settings));
  setTokenAccount(world.svm, world.recipient, 0n);
  return world;
}

/** Administrator of the reserve of a new world. */
export const RESERVE_ADMIN = keypair('reserve admin');

/**
 * A world with a reserve: the session may use every instruction, the fraction is 100 %, and
 * nothing is deployed.
 */
export function worldWithReserve(label = ''): World {
  const world = worldWithSession({ allowed_instructions: 7 }, label);
  addReserve(world.svm, RESERVE_ADMIN);
  run(world, setMaxDeployedFraction(world, 10_000), initYield(world));
  return world;
}

/** Base units that the recipient has received. */
export function paid({ svm, recipient }: World): bigint {
  return tokenBalance(svm, tokenAddress(recipient));
}

/** The decoded account with the field names of the IDL. */
export function read(
  world: World,
  type: 'Session' | 'Vault',
  address: PublicKey,
): Record<string, unknown> {
  const account = getAccount(world.svm, address);
  if (account === null) throw new Error(`no ${type} at ${address.toBase58()}`);
  return recordFromCoder(coder.accounts.decode(type, account.data));
}

/** A world like `world` whose owner is the stranger, who has a vault there. */
export function strangersWorld(world: World): World {
  const owner = world.stranger;
  const other = { ...world, owner, ...addressesOf(owner.publicKey, world.sessionKey.publicKey) };
  run(other, initVault(other));
  return other;
}

/** A token account of `wallet` for another mint than USDC. */
export function foreignTokenAccount({ svm, stranger }: World, wallet: PublicKey): PublicKey {
  const mint = stranger.publicKey;
  setMint(svm, mint);
  return setTokenAccount(svm, wallet, 0n, { address: tokenAddress(wallet, mint), mint });
}

/** The same distinct addresses at each call. */
export function wallets(count: number): PublicKey[] {
  return Array.from({ length: count }, (_, place) => keypair(`wallet ${place}`).publicKey);
}

/** The fields that every event of a spend has. */
export function spendFields(world: World, spend_seq: bigint): Record<string, unknown> {
  const [vault, session] = [world.vault.toBase58(), world.session.toBase58()];
  return {
    vault,
    session,
    session_index: FIRST_INDEX,
    spend_seq,
    spend_id: SPEND_ID,
    unix_timestamp: NOW,
  };
}

function addressesOf(owner: PublicKey, sessionKey: PublicKey) {
  const vault = vaultAddress(owner);
  const yieldAuthority = yieldAddress(vault);
  return {
    vault,
    vaultTokenAccount: tokenAddress(vault),
    session: sessionAddress(vault, sessionKey),
    yieldAuthority,
    transit: tokenAddress(yieldAuthority),
    collateral: tokenAddress(yieldAuthority, reserveAccounts.reserve_collateral_mint),
  };
}
