import { MAX_U64 } from '../world/account.ts';
import type { Args, Call, Step } from '../step.ts';
import type { Id } from '../world/universe.ts';
import { callOf, drawCall } from './call.ts';
import { balanceOf, type Choice, type Hand, sessionIn } from './hand.ts';
import { naming } from './memory.ts';
import { drawDeadline, withArgs } from './values.ts';

/** The next step of an owner who empties and closes the vault; null when there is none. */
export function drawLeaving(hand: Hand, choice: Choice): Step | null {
  const { random, universe, model } = hand;
  const { wallet, vault } = choice;
  if (vault === undefined) return null;
  const call = (name: string, args: Partial<Args> = {}, given: Record<string, Id> = {}): Call =>
    callOf(hand, choice, name, withArgs(args), given);
  const open = universe.sessionKeys.flatMap((key) => {
    const id = universe.sessionOf(wallet.vault, key)?.id ?? key;
    const session = sessionIn(hand, id);
    return session === undefined ? [] : [{ id, session }];
  });
  if (open.length > 0) {
    const { id, session } = random.pick(open);
    return send(call('revoke_session', { session_index: session.index }, { session: id }));
  }
  const counted = vault.version === 1 ? vault.nextSessionIndex : vault.openSessions;
  // Some vaults of the first layout can never be closed.
  if (counted > 0n && random.chance(0.5)) return null;
  if (vault.version === 1 && random.chance(0.3)) return send(call('migrate_vault'));
  const collateral = balanceOf(hand, wallet.collateral);
  if (collateral > 0n && random.chance(0.5)) {
    const byOwner = { authority: wallet.owner, session: universe.fixed.program };
    const all = { amount: MAX_U64, collateral_amount: collateral, deadline: drawDeadline(hand) };
    return send(call('yield_withdraw', all, byOwner));
  }
  for (const id of [wallet.collateral, wallet.transit]) {
    if (model.accounts.get(id)?.data.kind === 'tokens') {
      return send(sweepCall(hand, choice, id, true));
    }
  }
  const withdraw = call(
    'owner_withdraw',
    { amount: MAX_U64 },
    { owner_token_account: wallet.ownerSpare },
  );
  const held = balanceOf(hand, wallet.vaultTokens) > 0n;
  if (held && random.chance(0.5)) return send(withdraw);
  const close = drawCall(hand, choice, 'close_vault');
  const again = drawCall(hand, choice, 'init_vault');
  const session = drawCall(hand, choice, 'add_session');
  const firstIndex = model.slot << 16n;
  const first = { ...session, args: { ...session.args, session_index: firstIndex } };
  const closeAgain = { ...close, args: { ...close.args, next_session_index: firstIndex } };
  const withheld = naming(hand.memory.signed, wallet.vault);
  const parts = random.pick([
    [close],
    [close],
    [call('sweep_lamports'), close],
    [close, again],
    [close, fundCall(hand, wallet.vault), again],
    [close, again, close],
    [close, again, closeAgain],
    [close, again, first],
    [close, again, ...(withheld.length > 0 ? [random.pick(withheld)] : [])],
    [close, fundCall(hand, wallet.vault)],
  ]);
  return send(...(held ? [withdraw, ...parts] : parts));
}

/** A sweep of this token account to a fitting account of the owner. */
export function sweepCall(hand: Hand, choice: Choice, id: Id, close: boolean): Call {
  const { universe, model, random } = hand;
  const { wallet } = choice;
  const account = model.accounts.get(id);
  const tokens = account?.data.kind === 'tokens' ? account.data : undefined;
  const mint = tokens?.mint ?? universe.fixed.otherMint;
  const associated = universe.tokensOf(wallet.owner, mint) ?? wallet.ownerSpare;
  const fitting =
    mint === universe.fixed.usdc ? random.pick([associated, wallet.ownerSpare]) : associated;
  const isNeeded = (tokens?.amount ?? 0n) > 0n;
  const isNone = random.chance(isNeeded ? 0.03 : 0.5);
  const args = withArgs({ close, deadline: drawDeadline(hand) });
  return callOf(hand, choice, 'sweep_token_account', args, {
    authority: tokens?.owner === wallet.yieldAuthority ? wallet.yieldAuthority : wallet.vault,
    token_account: id,
    // The program's own address stands for an omitted account.
    owner_token_account: isNone ? universe.fixed.program : fitting,
    mint,
    token_program:
      account?.owner === universe.fixed.token2022 ? account.owner : universe.fixed.tokenProgram,
  });
}

/** One of the token accounts of the vault or its yield authority, donated ones included. */
export function drawSweep(hand: Hand, choice: Choice): Call {
  const { universe, model, random } = hand;
  const { wallet } = choice;
  const owners = [wallet.vault, wallet.yieldAuthority];
  const own = universe.tokenAccounts.filter((id) => {
    const data = model.accounts.get(id)?.data;
    if (data?.kind !== 'tokens' || !owners.includes(data.owner)) return false;
    // Those that the program uses are swept less often.
    if (id === wallet.vaultTokens) return random.chance(0.05);
    return (id !== wallet.collateral && id !== wallet.transit) || random.chance(0.3);
  });
  const few = random.chance(0.4) ? own.filter((id) => isObstructed(hand, id)) : [];
  const id = random.pick([few, own, [wallet.transit]].find((list) => list.length > 0) ?? own);
  const closing = balanceOf(hand, id) === 0n ? 0.8 : 0.4;
  return sweepCall(hand, choice, id, random.chance(closing));
}

/** Frozen, or only a stranger can close it. */
function isObstructed({ model }: Hand, id: Id): boolean {
  const data = model.accounts.get(id)?.data;
  return data?.kind === 'tokens' && (data.frozen || data.closeAuthority !== null);
}

/** Anyone may send lamports to an address of the program, such as that of a closed account. */
export function fundCall({ random, universe }: Hand, to: Id): Call {
  const metas = [
    { role: 'from', id: universe.payer, signer: true, writable: true },
    { role: 'to', id: to, signer: false, writable: true },
  ];
  const args = withArgs({ amount: random.between(1_000_000n, 9_000_000n) });
  return { program: 'system', name: 'transfer', args, metas, bytes: 'whole' };
}

function send(...calls: readonly Call[]): Step {
  return { do: 'send', calls };
}
