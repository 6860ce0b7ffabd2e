import { type Data, MAX_U64 } from '../world/account.ts';
import type { Change, Step } from '../step.ts';
import type { Id } from '../world/universe.ts';
import { reserveIn } from '../model/reserve-rules.ts';
import { balanceOf, type Choice, type Hand, near } from './hand.ts';
import { drawReserveCalls } from './yield-values.ts';

export function drawChange(hand: Hand, choice: Choice): Step {
  const { random, universe } = hand;
  const { fixed } = universe;
  const { wallet, sessionId } = choice;
  if (random.chance(0.08)) return drawReserveChange(hand);
  const kind = random.below(100);
  if (kind < 24) return change(wallet.vaultTokens, { to: 'mint', amount: drawDonation(hand) });
  if (kind < 38) {
    const id = random.pick([wallet.transit, ...universe.tokenAccounts]);
    return change(id, { to: 'mint', amount: drawDonation(hand) / 50n });
  }
  if (kind < 50) {
    const id = random.pick([
      sessionId,
      wallet.vault,
      wallet.vaultTokens,
      wallet.transit,
      wallet.yieldAuthority,
    ]);
    return change(id, { to: 'prefund', lamports: random.between(1n, 20_000_000n) });
  }
  if (kind < 59) return change(random.pick(universe.forged), drawForgery(hand, choice));
  if (kind < 78) return drawStray(hand, choice);
  const payee = random.pick(universe.recipients);
  const tokens = universe.tokensOf(payee, fixed.usdc) ?? wallet.transit;
  if (kind < 82)
    return change(tokens, { to: 'open tokens', wallet: payee, mint: fixed.usdc, amount: 0n });
  if (kind < 86) {
    const [id, of, mint] = random.pick([
      [wallet.vaultTokens, wallet.vault, fixed.usdc],
      [wallet.transit, wallet.yieldAuthority, fixed.usdc],
      [wallet.collateral, wallet.yieldAuthority, fixed.collateralMint],
    ] as const);
    return change(id, { to: 'open tokens', wallet: of, mint, amount: 0n });
  }
  return drawTokenChange(hand, choice, payee, tokens);
}

/** A loss of the reserve, or another owner for a while. */
function drawReserveChange(hand: Hand): Step {
  const { random, universe, model } = hand;
  const { fixed } = universe;
  const { owner } = model.accounts.get(fixed.reserve) ?? {};
  if (owner !== fixed.reserveProgram) {
    return change(fixed.reserve, { to: 'reassign', owner: fixed.reserveProgram });
  }
  const { borrowed } = reserveIn(hand);
  if (borrowed === 0n) return { do: 'send', calls: drawReserveCalls(hand) };
  if (random.chance(0.8)) {
    const amount = near(hand, borrowed, borrowed / 2n, borrowed / 10n, 2n);
    return change(fixed.reserve, { to: 'default', amount });
  }
  return change(fixed.reserve, { to: 'reassign', owner: universe.admin });
}

/** The vault's token account exists before its vault. */
export function drawUnborn({ random, universe, model }: Hand, { wallet }: Choice): Step {
  const id = wallet.vaultTokens;
  const { usdc } = universe.fixed;
  const { data } = model.accounts.get(id) ?? {};
  if (data?.kind !== 'tokens')
    return change(id, { to: 'open tokens', wallet: wallet.vault, mint: usdc, amount: 0n });
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
  const all = [...associated, ...own];
  const open = all.filter((one) => model.accounts.get(one.id)?.data.kind === 'tokens');
  const isOpen = open.length > 0 && random.chance(0.5);
  const { id, ...opened } = random.pick(isOpen ? open : all);
  if (!open.some((one) => one.id === id))
    return change(id, {
      to: 'open tokens',
      ...opened,
      amount: random.chance(0.7) ? drawDonation(hand) / 50n : 0n,
    });
  const share = balanceOf(hand, id) > 0n ? 0.3 : 0;
  if (random.chance(share)) return change(id, { to: 'close authority', authority: universe.payer });
  if (random.chance(share)) return change(id, { to: 'freeze' });
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

function drawForgery({ random, universe }: Hand, { wallet, sessionId }: Choice): Change {
  const { fixed } = universe;
  const from = random.pick([wallet.vault, sessionId, wallet.vaultTokens, wallet.transit]);
  const owner = random.pick([fixed.program, fixed.program, fixed.tokenProgram, fixed.system]);
  const lengths = owner === fixed.program ? [1, -1, 8, -8] : [0, 0, 0, 1, -1];
  return { to: 'forge', from, owner, length: random.pick(lengths) };
}

/** The USDC supply stays within 64 bits, as in a mint. */
export function drawDonation(hand: Hand): bigint {
  const { random, universe, settings, model } = hand;
  let total = 0n;
  for (const id of universe.tokenAccounts) {
    const data = model.accounts.get(id)?.data;
    if (data?.kind === 'tokens' && data.mint === universe.fixed.usdc) total += data.amount;
  }
  const wanted = random.between(1n, settings.money / random.pick([1n, 1n, 20n]) + 1n);
  return total + wanted > MAX_U64 ? 0n : wanted;
}

function change(id: Id, one: Change): Step {
  return { do: 'change', id, change: one };
}
