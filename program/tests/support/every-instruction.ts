import {
  addSession,
  byOwner,
  type Call,
  initVault,
  initYield,
  ownerWithdraw,
  revokeSession,
  setMaxDeployedFraction,
  setPaused,
  transferUsdc,
  updateSessionAllowlist,
  updateSessionLimits,
  yieldDeposit,
  yieldWithdraw,
} from './calls.ts';
import {
  emptyWorld,
  type World,
  worldBeforeYield,
  worldWithFundedOwner,
  worldWithSession,
  worldWithVault,
} from './world.ts';
import { worldWithInterest } from './yield-world.ts';

/** A call that passes in the world that is made for it. */
export interface Valid {
  /** The instruction, and who signs where that may be one of two. */
  readonly name: string;
  readonly makeWorld: () => World;
  readonly makeCall: (world: World) => Call;
}

/** Every instruction of the program. */
export const everyInstruction: readonly Valid[] = [
  { name: 'init_vault', makeWorld: emptyWorld, makeCall: (world) => initVault(world) },
  { name: 'init_yield', makeWorld: worldBeforeYield, makeCall: initYield },
  { name: 'add_session', makeWorld: worldWithVault, makeCall: (world) => addSession(world) },
  {
    name: 'update_session_allowlist',
    makeWorld: worldWithSession,
    makeCall: (world) => updateSessionAllowlist(world, [world.stranger.publicKey]),
  },
  {
    name: 'update_session_limits',
    makeWorld: worldWithSession,
    makeCall: (world) => updateSessionLimits(world, { daily_cap: 1_000n }),
  },
  { name: 'revoke_session', makeWorld: worldWithSession, makeCall: revokeSession },
  {
    name: 'set_max_deployed_fraction',
    makeWorld: worldWithVault,
    makeCall: (world) => setMaxDeployedFraction(world, 9_999),
  },
  {
    name: 'set_paused',
    makeWorld: worldWithVault,
    makeCall: (world) => setPaused(world, true),
  },
  {
    name: 'owner_withdraw',
    makeWorld: worldWithFundedOwner,
    makeCall: (world) => ownerWithdraw(world),
  },
  { name: 'transfer_usdc', makeWorld: worldWithSession, makeCall: (world) => transferUsdc(world) },
  { name: 'yield_deposit', makeWorld: worldWithInterest, makeCall: deposit },
  {
    name: 'yield_deposit by the owner',
    makeWorld: worldWithInterest,
    makeCall: (world) => byOwner(deposit(world), world),
  },
  { name: 'yield_withdraw', makeWorld: worldWithInterest, makeCall: withdraw },
  {
    name: 'yield_withdraw by the owner',
    makeWorld: worldWithInterest,
    makeCall: (world) => byOwner(withdraw(world), world),
  },
];

function deposit(world: World): Call {
  return yieldDeposit(world, { amount: 10n, spend_seq: 7n });
}

/** 30 of the 99 base units that are deployed. */
function withdraw(world: World): Call {
  return yieldWithdraw(world, { amount: 30n, collateral_amount: 20n, spend_seq: 7n });
}
