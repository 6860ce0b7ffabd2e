import {
  addSession,
  byOwner,
  closeVault,
  initVault,
  initYield,
  migrateVault,
  ownerWithdraw,
  revokeSession,
  setMaxDeployedFraction,
  setPaused,
  sweepLamports,
  sweepTokenAccount,
  transferUsdc,
  updateSessionAllowlist,
  updateSessionLimits,
  yieldDeposit,
  yieldWithdraw,
} from './calls.ts';
import { type Call } from './call.ts';
import { keypair, setAccount, setTokenAccount, tokenAddress } from './chain.ts';
import { reserveAccounts } from './reserve.ts';
import {
  emptyWorld,
  sessionAddress,
  type World,
  worldBeforeYield,
  worldWithEmptyVault,
  worldWithFundedOwner,
  worldWithSession,
  worldWithVault,
} from './world.ts';
import { withVersion1 } from './version-1.ts';
import { worldWithInterest } from './yield-world.ts';

/** A call that passes in its own world. */
type Valid = readonly [
  /** The instruction, and the signer where there is a choice. */
  name: string,
  makeCall: (world: World) => Call,
  makeWorld: () => World,
];

/** Every instruction of the program. */
export const everyInstruction: readonly Valid[] = [
  ['init_vault', (w) => initVault(w), emptyWorld],
  ['init_yield', initYield, worldBeforeYield],
  ['add_session', addNewSession, worldWithVault],
  [
    'update_session_allowlist',
    (w) => updateSessionAllowlist(w, [w.stranger.publicKey]),
    worldWithSession,
  ],
  ['update_session_limits', (w) => updateSessionLimits(w, { daily_cap: 1_000n }), worldWithSession],
  ['revoke_session', revokeSession, worldWithSession],
  ['set_max_deployed_fraction', (w) => setMaxDeployedFraction(w, 9_999), worldWithVault],
  ['set_paused', (w) => setPaused(w, true), worldWithVault],
  ['migrate_vault', migrateVault, () => withVersion1(worldWithVault())],
  ['close_vault', closeVault, worldWithEmptyVault],
  ['owner_withdraw', (w) => ownerWithdraw(w), worldWithFundedOwner],
  ['transfer_usdc', (w) => transferUsdc(w, { spend_seq: 7n }), worldWithSession],
  ['yield_deposit', deposit, worldWithInterest],
  ['yield_deposit by the owner', (w) => byOwner(deposit(w), w), worldWithInterest],
  ['yield_withdraw', withdraw, worldWithInterest],
  ['yield_withdraw by the owner', (w) => byOwner(withdraw(w), w), worldWithInterest],
  ['sweep_token_account', (w) => sweepTokenAccount(w), fullWorld],
  ['sweep_token_account that closes', (w) => sweepTokenAccount(w, { close: true }), fullWorld],
  ['sweep_lamports', sweepLamports, fullWorld],
];

/** The calls that pass in {@link fullWorld}. */
export const inFullWorld = everyInstruction.filter(
  ([name]) => !['init_vault', 'migrate_vault', 'close_vault'].includes(name),
);

/** The calls of these names. */
export function callsNamed(...names: string[]): readonly Valid[] {
  return names.map((name) => {
    const call = everyInstruction.find(([one]) => one === name);
    if (call === undefined) throw new Error(`no call ${name}`);
    return call;
  });
}

/** A world with money deployed and at hand, whose owner can receive what there is. */
export function fullWorld(): World {
  const world = worldWithInterest();
  makeReceiver(world);
  return world;
}

/** Gives the owner token accounts, and the vault and its yield authority lamports to sweep. */
export function makeReceiver({ svm, owner, vault, yieldAuthority }: World): void {
  const mint = reserveAccounts.reserve_collateral_mint;
  const address = tokenAddress(owner.publicKey, mint);
  setTokenAccount(svm, owner.publicKey, 0n);
  setTokenAccount(svm, owner.publicKey, 0n, { address, mint });
  for (const one of [vault, yieldAuthority]) setAccount(svm, one, { lamports: 3_000_000_000n });
}

function addNewSession(world: World): Call {
  const sessionKey = keypair('a new session');
  const session = sessionAddress(world.vault, sessionKey.publicKey);
  return addSession({ ...world, sessionKey, session });
}

export function deposit(world: World): Call {
  return yieldDeposit(world, { amount: 10n, spend_seq: 7n });
}

/** 30 of the 99 base units that are deployed in {@link worldWithInterest}. */
export function withdraw(world: World): Call {
  return yieldWithdraw(world, { amount: 30n, collateral_amount: 20n, spend_seq: 7n });
}
