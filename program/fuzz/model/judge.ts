import { definitionOf, type Call } from '../step.ts';
import type { Universe } from '../world/universe.ts';
import { flagsOf, type Flags } from '../chain/wire.ts';
import { closeVault, sweepLamports, sweepTokenAccount } from './leaving-rules.ts';
import {
  initVault,
  initYield,
  migrateVault,
  ownerWithdraw,
  setMaxDeployedFraction,
  setPaused,
} from './owner-rules.ts';
import {
  addSession,
  revokeSession,
  updateSessionAllowlist,
  updateSessionLimits,
} from './policy-rules.ts';
import { reserveCall } from './reserve-rules.ts';
import { type Model, moveTokens, type Refusal, refusalOf, type Scene } from './scene.ts';
import { transferUsdc } from './session-rules.ts';
import { yieldDeposit, yieldWithdraw } from './yield-rules.ts';

const rules: Readonly<Record<string, (scene: Scene) => Refusal>> = {
  init_vault: initVault,
  init_yield: initYield,
  add_session: addSession,
  update_session_allowlist: updateSessionAllowlist,
  update_session_limits: updateSessionLimits,
  revoke_session: revokeSession,
  set_max_deployed_fraction: setMaxDeployedFraction,
  set_paused: setPaused,
  owner_withdraw: ownerWithdraw,
  transfer_usdc: transferUsdc,
  yield_deposit: yieldDeposit,
  yield_withdraw: yieldWithdraw,
  migrate_vault: migrateVault,
  sweep_token_account: sweepTokenAccount,
  sweep_lamports: sweepLamports,
  close_vault: closeVault,
};

/** The model's verdict on a transaction, and the state after it. */
export type Judgement = { readonly refusal: Refusal; readonly model: Model };

/** Judges a transaction, all or nothing. May change `model` when nothing is refused. */
export function judge(model: Model, calls: readonly Call[], universe: Universe): Judgement {
  const flags = flagsOf(calls, universe);
  // A single instruction changes nothing before all checks; several need a draft to roll back.
  const draft: Model = calls.length === 1 ? model : structuredClone(model);
  for (const call of calls) {
    const refusal = judgeCall(draft, call, flags, universe);
    if (refusal !== null) return { refusal, model };
  }
  return { refusal: null, model: draft };
}

function judgeCall(model: Model, call: Call, flags: Flags, universe: Universe): Refusal {
  const at = (role: string): number => {
    const meta = call.metas.find((one) => one.role === role);
    if (meta === undefined) throw new Error(`${call.name} has no ${role}`);
    return meta.id;
  };
  const scene: Scene = { model, universe, flags, call, at };
  if (call.program === 'system') return fund(scene);
  // Well formed: a person gives away tokens.
  if (call.program === 'token') return moveTokens(scene, at('from'), at('to'), call.args.amount);
  if (call.program === 'reserve') return reserveCall(scene);
  const { args, accounts } = definitionOf(call);
  const isUnknown =
    call.bytes === 'unknown instruction' || (call.bytes === 'cut' && args.length === 0);
  const shape = isUnknown
    ? refusalOf(101)
    : refusalOf(call.bytes !== 'whole' && 102, call.metas.length < accounts.length && 3005);
  if (shape !== null) return shape;
  const rule = rules[call.name];
  if (rule === undefined) throw new Error(`no rule for ${call.name}`);
  return rule(scene);
}

/** Anyone may send lamports anywhere. */
function fund({ model, universe, call, at }: Scene): Refusal {
  const { amount } = call.args;
  const [from, to] = [model.accounts.get(universe.payer), model.accounts.get(at('to'))];
  if (from === undefined) throw new Error('no fee payer');
  from.lamports -= amount;
  if (to !== undefined) to.lamports += amount;
  else {
    const owner = universe.fixed.system;
    model.accounts.set(at('to'), { lamports: amount, owner, data: { kind: 'empty' } });
  }
  return null;
}
