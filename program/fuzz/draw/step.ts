import { type Data, MAX_U64 } from '../world/account.ts';
import type { Call, Change, Step } from '../step.ts';
import type { Id } from '../world/universe.ts';
import { drawCall } from './call.ts';
import { balanceOf, type Choice, choose, chooseOf, type Hand } from './hand.ts';
import { drawLeaving, drawSweep, fundCall } from './leaving.ts';
import { drawWithheld } from './memory.ts';
import { spoil } from './spoil.ts';
import { drawClock, withArgs } from './values.ts';
import { drawReserveCalls } from './yield-values.ts';

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
  ['yield_deposit', 14],
  ['yield_withdraw', 16],
  ['migrate_vault', 2],
  ['sweep_token_account', 8],
  ['sweep_lamports', 2],
  ['close_vault', 1],
];
const DECK = SHARES.flatMap(([name, share]) => Array.from({ length: share }, () => name));

/** The next step: most can succeed, some are spoiled, some change the world. */
export function drawStep(hand: Hand): Step {
  const { random } = hand;
  const leaving = drawLeavingStep(hand);
  if (leaving !== null) return leaving;
  const choice = choose(hand);
  const { vaultTokens } = choice.wallet;
  if (choice.vault !== undefined && balanceOf(hand, vaultTokens) === 0n && random.chance(0.5)) {
    return change(vaultTokens, { to: 'mint', amount: drawDonation(hand) });
  }
  if (choice.vault === undefined && random.chance(0.1)) return drawUnborn(hand, choice);
  const kind = random.below(100);
  if (kind < 10) return { do: 'clock', to: drawClock(hand, choice) };
  if (kind < 18) return drawChange(hand, choice);
  if (kind < 22) {
    const calls = random.chance(0.8) ? drawReserveCalls(hand) : [drawGift(hand, choice)];
    return { do: 'send', calls };
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
  if (memory.leaving === null && isThere && random.chance(0.01)) memory.leaving = wallet.vault;
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
  if (!random.chance(spoiledShare)) return call;
  const spoiled = spoil(hand, call);
  return random.chance(0.9) ? spoiled : spoil(hand, spoiled);
}

/** Prefers the instruction that the wallet needs next. */
function drawName({ random, model }: Hand, { vault, session }: Choice): string {
  if (vault === undefined && random.chance(0.8)) return 'init_vault';
  if (vault !== undefined && session === undefined && random.chance(0.7)) return 'add_session';
  if (vault?.paused === true && random.chance(0.5)) return 'set_paused';
  if (session !== undefined && session.expiry < model.now && random.chance(0.5)) {
    return random.pick(['update_session_limits', 'update_session_limits', 'revoke_session']);
  }
  if (vault?.yieldBump === 0 && random.chance(0.08)) return 'init_yield';
  return random.pick(DECK);
}

/** An address of the program, such as that of a closed session. */
function drawFunded({ random }: Hand, { wallet, sessionId }: Choice): Id {
  const { vault, vaultTokens, transit, yieldAuthority } = wallet;
  return random.pick([sessionId, vault, vaultTokens, transit, yieldAuthority]);
}

const change = (id: Id, one: Change): Step => ({ do: 'change', id, change: one });

function drawChange(hand: Hand, choice: Choice): Step {
  const { random, universe } = hand;
  const { fixed } = universe;
  const { wallet, sessionId } = choice;
  const kind = random.below(100);
  if (kind < 26) return change(wallet.vaultTokens, { to: 'mint', amount: drawDonation(hand) });
  if (kind < 42) {
    const id = random.pick([wallet.transit, ...universe.tokenAccounts]);
    return change(id, { to: 'mint', amount: drawDonation(hand) / 50n });
  }
  if (kind < 54) {
    const id = random.pick([
      sessionId,
      wallet.vault,
      wallet.vaultTokens,
      wallet.transit,
      wallet.yieldAuthority,
    ]);
    return change(id, { to: 'prefund', lamports: random.between(1n, 20_000_000n) });
  }
  if (kind < 63) return change(random.pick(universe.forged), drawForgery(hand, choice));
  if (kind < 76) return drawStray(hand, choice);
  const payee = random.pick(universe.recipients);
  const tokens = universe.tokensOf(payee, fixed.usdc) ?? wallet.transit;
  if (kind < 80) return change(tokens, { to: 'open tokens', wallet: payee, mint: fixed.usdc });
  if (kind < 84) {
    const [id, of, mint] = random.pick([
      [wallet.vaultTokens, wallet.vault, fixed.usdc],
      [wallet.transit, wallet.yieldAuthority, fixed.usdc],
      [wallet.collateral, wallet.yieldAuthority, fixed.collateralMint],
    ] as const);
    return change(id, { to: 'open tokens', wallet: of, mint });
  }
  return drawTokenChange(hand, choice, payee, tokens);
}

/** The vault's token account exists before its vault. */
function drawUnborn({ random, universe, model }: Hand, { wallet }: Choice): Step {
  const id = wallet.vaultTokens;
  const { usdc } = universe.fixed;
  const { data } = model.accounts.get(id) ?? {};
  if (data?.kind !== 'tokens')
    return change(id, { to: 'open tokens', wallet: wallet.vault, mint: usdc });
  const cures = cureOf(id, data);
  if (cures.length > 0) return random.pick(cures);
  return change(
    id,
    random.pick([
      { to: 'freeze' },
      { to: 'delegate', delegate: universe.payer },
      { to: 'close authority', authority: universe.payer },
    ] as const),
  );
}

/** A token account that a stranger leaves for the vault or its yield authority, or tokens in it. */
function drawStray(hand: Hand, { wallet }: Choice): Step {
  const { random, universe, model } = hand;
  const { vault, yieldAuthority } = wallet;
  const associated = [
    ...universe.strayMints.map((mint) => ({ wallet: vault, mint })),
    { wallet: yieldAuthority, mint: universe.fixed.otherMint },
  ].map((one) => ({ id: universe.tokensOf(one.wallet, one.mint) ?? vault, ...one }));
  const own = universe.strays.filter(
    (one) => one.wallet === vault || one.wallet === yieldAuthority,
  );
  const { id, ...opened } = random.pick([...associated, ...own]);
  const isOpen = model.accounts.get(id)?.data.kind === 'tokens';
  if (!isOpen) return change(id, { to: 'open tokens', ...opened });
  if (random.chance(0.1)) return change(id, { to: 'close authority', authority: universe.payer });
  if (random.chance(0.1)) return change(id, { to: 'freeze' });
  return change(id, { to: 'mint', amount: drawDonation(hand) / 50n });
}

/** Freezing by the mint, and changes that owners of token accounts can make. */
function drawTokenChange(hand: Hand, { wallet }: Choice, payee: Id, tokens: Id): Step {
  const { random, universe, model } = hand;
  const cures = universe.tokenAccounts.flatMap((id) => cureOf(id, model.accounts.get(id)?.data));
  if (cures.length > 0 && random.chance(0.75)) return random.pick(cures);
  const own = random.pick([wallet.transit, wallet.collateral]);
  const someone = random.pick([null, wallet.owner, random.pick(universe.people)]);
  const changes: readonly (readonly [Id, Change])[] = [
    [
      random.pick([tokens, wallet.vaultTokens, wallet.transit, wallet.collateral]),
      { to: 'freeze' },
    ],
    [random.pick([tokens, own]), { to: 'delegate', delegate: someone }],
    [random.pick([tokens, own]), { to: 'close authority', authority: someone }],
    [tokens, { to: 'give away', wallet: random.pick(universe.people) }],
    [tokens, { to: 'give away', wallet: payee }],
    [tokens, { to: 'give away', wallet: random.pick([wallet.vault, wallet.yieldAuthority]) }],
    [
      random.pick(universe.strays).id,
      random.pick([{ to: 'freeze' }, { to: 'close authority', authority: someone }] as const),
    ],
  ];
  const closing = balanceOf(hand, tokens) === 0n && universe.people.includes(payee);
  if (closing && random.chance(0.2)) return change(tokens, { to: 'close' });
  return change(...random.pick(changes));
}

/** Steps that make a token account usable again. */
function cureOf(id: Id, data: Data | undefined): readonly Step[] {
  if (data?.kind !== 'tokens') return [];
  return [
    ...(data.frozen ? [change(id, { to: 'thaw' })] : []),
    ...(data.delegate === null ? [] : [change(id, { to: 'delegate', delegate: null })]),
    ...(data.closeAuthority === null
      ? []
      : [change(id, { to: 'close authority', authority: null })]),
  ];
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

function drawForgery({ random, universe }: Hand, { wallet, sessionId }: Choice): Change {
  const { fixed } = universe;
  const from = random.pick([wallet.vault, sessionId, wallet.vaultTokens, wallet.transit]);
  const owner = random.pick([fixed.program, fixed.program, fixed.tokenProgram, fixed.system]);
  const lengths = owner === fixed.program ? [1, -1, 8, -8] : [0, 0, 0, 1, -1];
  return { to: 'forge', from, owner, length: random.pick(lengths) };
}

/** The USDC supply stays within 64 bits, as in a mint. */
function drawDonation(hand: Hand): bigint {
  const { random, universe, settings, model } = hand;
  let total = 0n;
  for (const id of universe.tokenAccounts) {
    const data = model.accounts.get(id)?.data;
    if (data?.kind === 'tokens' && data.mint === universe.fixed.usdc) total += data.amount;
  }
  const wanted = random.between(1n, settings.money / random.pick([1n, 1n, 20n]) + 1n);
  return total + wanted > MAX_U64 ? 0n : wanted;
}
