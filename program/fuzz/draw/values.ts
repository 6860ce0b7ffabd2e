import { DAY_SECONDS, HOUR_SECONDS } from '../world/account.ts';
import { spentAt } from '../model/session-rules.ts';
import { type Args, NO_ARGS } from '../step.ts';
import type { Id } from '../world/universe.ts';
import { balanceOf, type Choice, type Hand, near } from './hand.ts';
import { naming } from './memory.ts';

const NO_DEADLINE = 2n ** 63n - 1n;

/** A sequence number that is free, used, or at an edge of the window. */
function drawSequence(hand: Hand, { session }: Choice): bigint {
  const { random } = hand;
  const highest = session?.highest ?? 0n;
  if (random.chance(0.85)) return highest + random.pick([1n, 1n, 1n, 2n, 7n]);
  const used = [...(session?.sequences ?? [])];
  if (random.chance(0.4) && used.length > 0) return random.pick(used);
  const back = random.pick([0n, 1n, 2n, 3n, 63n, 64n, 65n, 127n, 255n, 256n, 257n]);
  if (random.chance(0.7)) return highest > back ? highest - back : random.between(0n, highest);
  const ahead = random.pick([64n, 255n, 256n, 300n, 2n ** 32n - 1n, 2n ** 32n, 2n ** 32n + 1n]);
  return near(hand, highest + ahead, 2n ** 63n, 2n ** 64n - 1n);
}

/** The arguments that a session signs besides the amount. */
export function drawSpend(hand: Hand, choice: Choice): Pick<Args, 'spend_seq' | 'session_index'> {
  const index = choice.session?.index ?? 0n;
  const other = hand.random.chance(0.03);
  return {
    spend_seq: drawSequence(hand, choice),
    session_index: other
      ? near(hand, index, index + 1n, choice.vault?.nextSessionIndex ?? 0n)
      : index,
  };
}

/** The index of the vault's next session, an earlier or a later one. */
export function drawNextIndex(hand: Hand, { vault, session }: Choice): bigint {
  const next = vault?.nextSessionIndex ?? 0n;
  if (hand.random.chance(0.95)) return next;
  const firstOfSlot = hand.model.slot << 16n;
  return near(hand, next - 1n, next + 1n, session?.index ?? 0n, firstOfSlot);
}

/** The index that names the vault to be closed, or an earlier vault of the owner, or none. */
export function drawClosedIndex(hand: Hand, { wallet, vault, session }: Choice): bigint {
  const next = vault?.nextSessionIndex ?? 0n;
  if (hand.random.chance(0.85)) return next;
  const earlier = naming(hand.memory.signed, wallet.vault)
    .filter(({ name }) => name === 'close_vault')
    .map(({ args }) => args.next_session_index);
  return near(hand, next - 1n, next + 1n, session?.index ?? 0n, ...earlier);
}

/** Unix seconds: most soon, so that the clock passes them; some at the clock or before. */
export function drawDeadline({ random, model: { now } }: Hand): bigint {
  if (random.chance(0.06)) return random.pick([now - 1n, now - 1n, now, 0n, -1n, -(2n ** 63n)]);
  const after = random.pick([1n, 60n, HOUR_SECONDS, 30n * DAY_SECONDS]);
  return random.chance(0.1) ? NO_DEADLINE : now + after;
}

/** Sessions usually set no deadline for a movement to or from the reserve. */
export function drawYieldDeadline(hand: Hand, isByOwner: boolean): bigint {
  return isByOwner || hand.random.chance(0.1) ? drawDeadline(hand) : NO_DEADLINE;
}

export function drawTransferAmount(hand: Hand, { wallet, session }: Choice): bigint {
  const { random, settings } = hand;
  const balance = balanceOf(hand, wallet.vaultTokens);
  if (session === undefined) return near(hand, settings.money / 100n);
  const spent = spentAt(session, hand.model.now);
  const left = session.dailyCap > spent ? session.dailyCap - spent : 0n;
  const most = [left, session.maxPerTx, balance].reduce((least, one) =>
    one < least ? one : least,
  );
  if (random.chance(0.6)) return random.between(1n, most / random.pick([1n, 3n, 10n]) + 1n);
  return near(hand, most, left, session.maxPerTx, balance, session.dailyCap);
}

export function drawRecipients(hand: Hand, choice: Choice): readonly Id[] {
  const { random, universe } = hand;
  const count = random.pick([0, 1, 2, 3, 5, 9, 10, 10, 11]);
  const list = Array.from({ length: count }, () => random.pick(universe.recipients));
  const { wallet, key } = choice;
  const forbidden = [wallet.vault, wallet.vaultTokens, key, universe.fixed.system];
  if (random.chance(0.03)) return [...list, random.pick(forbidden)];
  if (random.chance(0.03)) return list;
  return [...new Set(list)].filter((id) => !forbidden.includes(id));
}

export function drawLimits(
  hand: Hand,
): Pick<Args, 'max_per_tx' | 'daily_cap' | 'expiry' | 'allowed_instructions'> {
  const { random, settings, model } = hand;
  const { money } = settings;
  const cap = near(hand, money / 10n, money / 3n, money, money * 3n, 10n);
  return {
    max_per_tx: near(hand, cap / 2n, cap / 10n + 1n, cap, money),
    daily_cap: cap,
    expiry: drawExpiry(hand, model.now),
    allowed_instructions: random.chance(0.02)
      ? random.pick([8, 15, 0xffff])
      : random.chance(0.85)
        ? 7
        : random.pick([0, 1, 2, 3, 4, 5, 6]),
  };
}

function drawExpiry({ random }: Hand, now: bigint): bigint {
  if (random.chance(0.03)) return random.pick([0n, -1n, now, now - 1n, -(2n ** 63n)]);
  const after = random.pick([
    random.pick([1n, HOUR_SECONDS, DAY_SECONDS]),
    3n * DAY_SECONDS,
    30n * DAY_SECONDS,
    300n * DAY_SECONDS,
  ]);
  return random.chance(0.03) ? 2n ** 63n - 1n : now + after;
}

/** The clock advances, jumps to the edge of a rule, or goes back. */
export function drawClock(hand: Hand, { session }: Choice): bigint {
  const { random, model } = hand;
  const { now } = model;
  if (now < 0n) return hand.settings.now;
  if (random.chance(0.01)) return random.pick([-1n, -(2n ** 40n), 0n]);
  if (random.chance(0.12)) {
    const back = random.pick([1n, 30n, HOUR_SECONDS, 5n * HOUR_SECONDS, DAY_SECONDS + 1n]);
    return now > back ? now - back : 0n;
  }
  const beside = random.pick([-1n, 0n, 1n]);
  const hour = (now / HOUR_SECONDS + 1n) * HOUR_SECONDS;
  const day = (now / DAY_SECONDS + 1n) * DAY_SECONDS;
  const spend = session === undefined ? undefined : random.pick([...session.spends, undefined]);
  const places = [
    now + random.between(1n, 90n),
    now + random.between(1n, HOUR_SECONDS),
    hour + beside,
  ];
  if (random.chance(0.1)) places.push(day + beside, now + random.between(1n, 4n * DAY_SECONDS));
  if (spend !== undefined) {
    const end = (spend.countedAt / HOUR_SECONDS + 1n) * HOUR_SECONDS;
    places.push(spend.countedAt + DAY_SECONDS + beside, end + DAY_SECONDS + beside);
  }
  if (session !== undefined && session.expiry - now < 2n * DAY_SECONDS && random.chance(0.2)) {
    places.push(session.expiry + beside);
  }
  const ahead = places.filter((place) => place >= now && place < 2n ** 62n);
  return ahead.length === 0 ? now + 1n : random.pick(ahead);
}

export function withArgs(args: Partial<Args>): Args {
  return { ...NO_ARGS, ...args };
}
