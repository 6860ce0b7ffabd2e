import type { Call, Step } from '../step.ts';
import type { Id } from '../world/universe.ts';
import { drawCall } from './call.ts';
import { drawChange, drawDonation, drawUnborn } from './change.ts';
import { balanceOf, type Choice, choose, chooseOf, type Hand } from './hand.ts';
import { drawLeaving, drawSweep, fundCall } from './leaving.ts';
import { drawWithheld } from './memory.ts';
import { spoil } from './spoil.ts';
import { drawClock, withArgs } from './values.ts';
import { drawReserveCalls, isLost } from './yield-values.ts';

/** Relative frequency of each instruction. */
const SHARES: readonly (readonly [string, number])[] = [
  ['transfer_usdc', 40],
  ['add_session', 8],
  ['update_session_limits', 5],
  ['update_session_allowlist', 4],
  ['revoke_session', 3],
  ['set_paused', 3],
  ['set_max_deployed_fraction', 2],
  ['owner_withdraw', 4],
  ['init_vault', 2],
  ['init_yield', 2],
  ['yield_deposit', 22],
  ['yield_withdraw', 22],
  ['migrate_vault', 2],
  ['sweep_token_account', 8],
  ['sweep_lamports', 2],
  ['close_vault', 1],
];
const FREQUENT = new Set(['transfer_usdc', 'yield_deposit', 'yield_withdraw']);
const DECK = SHARES.flatMap(([name, share]) => Array.from({ length: share }, () => name));

/** The next step: most can succeed, some are spoiled, some change the world. */
export function drawStep(hand: Hand): Step {
  const { random } = hand;
  const leaving = drawLeavingStep(hand);
  if (leaving !== null) return leaving;
  const choice = choose(hand);
  const { vaultTokens } = choice.wallet;
  if (choice.vault !== undefined && balanceOf(hand, vaultTokens) === 0n && random.chance(0.5)) {
    return { do: 'change', id: vaultTokens, change: { to: 'mint', amount: drawDonation(hand) } };
  }
  if (choice.vault === undefined && random.chance(0.1)) return drawUnborn(hand, choice);
  const kind = random.below(100);
  if (kind < 10) return { do: 'clock', to: drawClock(hand, choice) };
  if (kind < 18) return drawChange(hand, choice);
  if (kind < 22) {
    const calls = random.chance(0.8) ? drawReserveCalls(hand) : [];
    return { do: 'send', calls: calls.length > 0 ? calls : [drawGift(hand, choice)] };
  }
  const withheld = kind < 29 ? drawWithheld(hand, choice) : null;
  if (withheld !== null) return withheld;
  if (kind < 34) {
    const calls = Array.from({ length: random.pick([2, 2, 3]) }, (_, place) =>
      drawOne(hand, place === 0 ? choice : random.pick([choice, choose(hand)]), 0.08),
    );
    return { do: 'send', calls };
  }
  return { do: 'send', calls: [drawOne(hand, choice, 0.25)] };
}

/** Owners leave from time to time; some give up. */
function drawLeavingStep(hand: Hand): Step | null {
  const { random, universe, settings, model, memory } = hand;
  const wallet = random.pick(universe.wallets.slice(0, settings.wallets));
  const isThere = model.accounts.get(wallet.vault)?.data.kind === 'vault';
  if (memory.leaving === null && isThere && random.chance(0.02)) memory.leaving = wallet.vault;
  if (memory.leaving !== wallet.vault || !random.chance(0.8)) return null;
  if (random.chance(0.04)) memory.leaving = null;
  const step = drawLeaving(hand, chooseOf(hand, wallet));
  if (step === null) memory.leaving = null;
  return step;
}

function drawOne(hand: Hand, choice: Choice, spoiledShare: number): Call {
  const { random } = hand;
  if (random.chance(0.01)) return fundCall(hand, drawFunded(hand, choice));
  const name = drawName(hand, choice);
  const isSweep = name === 'sweep_token_account';
  const call = isSweep ? drawSweep(hand, choice) : drawCall(hand, choice, name);
  // The frequent calls are spoiled often enough.
  const isRare = !FREQUENT.has(name);
  if (!random.chance(isRare ? spoiledShare * 2 : spoiledShare)) return call;
  const spoiled = spoil(hand, call);
  return random.chance(0.9) ? spoiled : spoil(hand, spoiled);
}

/** Prefers the instruction that the wallet needs next. */
function drawName(hand: Hand, choice: Choice): string {
  const { random, model } = hand;
  const { vault, session } = choice;
  if (vault === undefined && random.chance(0.8)) return 'init_vault';
  if (vault !== undefined && session === undefined && random.chance(0.7)) return 'add_session';
  if (vault?.paused === true && random.chance(0.5)) return 'set_paused';
  if (session !== undefined && session.expiry < model.now && random.chance(0.5)) {
    return random.pick(['update_session_limits', 'update_session_limits', 'revoke_session']);
  }
  if (vault?.yieldBump === 0 && random.chance(0.2)) return 'init_yield';
  if (isLost(hand, choice) && random.chance(0.1)) return 'yield_withdraw';
  return random.pick(DECK);
}

/** An address of the program, such as that of a closed session. */
function drawFunded({ random }: Hand, { wallet, sessionId }: Choice): Id {
  const { vault, vaultTokens, transit, yieldAuthority } = wallet;
  return random.pick([sessionId, vault, vaultTokens, transit, yieldAuthority]);
}

/** Collateral that a stranger or the owner gives to a vault. */
function drawGift(hand: Hand, { wallet }: Choice): Call {
  const { random, universe, model } = hand;
  const { collateralMint } = universe.fixed;
  const giver = random.pick([universe.admin, wallet.owner]);
  const from = universe.tokensOf(giver, collateralMint) ?? giver;
  const places = [
    wallet.collateral,
    wallet.collateral,
    universe.tokensOf(wallet.vault, collateralMint) ?? wallet.collateral,
    ...universe.strays.filter((one) => one.wallet === wallet.yieldAuthority).map(({ id }) => id),
  ];
  const open = places.filter((id) => model.accounts.get(id)?.data.kind === 'tokens');
  const to = open.length === 0 ? from : random.pick(open);
  const held = balanceOf(hand, from);
  const metas = [
    { role: 'from', id: from, signer: false, writable: true },
    { role: 'to', id: to, signer: false, writable: true },
    { role: 'authority', id: giver, signer: true, writable: false },
  ];
  const args = withArgs({ amount: random.between(0n, held / random.pick([1n, 10n])) });
  return { program: 'token', name: 'transfer', args, metas, bytes: 'whole' };
}
