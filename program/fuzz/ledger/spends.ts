import { DAY_SECONDS } from '../world/account.ts';
import type { Args, Call } from '../step.ts';
import type { Id } from '../world/universe.ts';
import type { Book, Life } from './book.ts';
import type { Passed } from './passed.ts';

/** The bits of the instructions that a session may sign. */
const BITS: Readonly<Record<string, number>> = {
  transfer_usdc: 1,
  yield_deposit: 2,
  yield_withdraw: 4,
};

export function isSpend(name: string): boolean {
  return name in BITS;
}

/** Records a transfer or a yield instruction. */
export function enterSpend(
  book: Book,
  call: Call,
  { flags, now }: Passed,
  at: (role: string) => Id,
): readonly string[] {
  const { name, args } = call;
  const key = name === 'transfer_usdc' ? at('session_key') : at('authority');
  const wallet = book.wallets.get(at('vault'));
  if (wallet === undefined) return [`${name} from a vault that was never created`];
  const signed = flags.signer(key) ? [] : [`${name} without a signature`];
  if (name !== 'transfer_usdc' && at('session') === book.universe.fixed.program) {
    return wallet.owner === key ? signed : [...signed, `${name} by a stranger`];
  }
  const life = book.lives.get(at('session'));
  if (life === undefined) return [...signed, `${name} after the session was revoked`];
  const spent = `${at('session')} ${args.session_index} ${args.spend_seq}`;
  const wrong = [
    life.wallet !== wallet && 'a session of an earlier vault spends',
    life.index !== args.session_index && 'the spend is for another session',
    life.vault !== at('vault') && 'the session belongs to another vault',
    life.key !== key && 'a key other than the session’s signed',
    wallet.paused && 'the vault is paused',
    now > life.limits.expiry && 'the session has expired',
    (life.limits.allowed_instructions & (BITS[name] ?? 0)) === 0 &&
      'the instruction is not allowed',
    book.spent.has(spent) && `sequence ${args.spend_seq} was accepted before`,
    args.amount === 0n && 'the amount is zero',
  ];
  book.spent.add(spent);
  if (name === 'transfer_usdc') wrong.push(...enterTransfer(life, args, now, at('recipient')));
  return [...signed, ...wrong.filter((one) => one !== false).map((one) => `${name}: ${one}`)];
}

function enterTransfer(
  life: Life,
  { amount }: Args,
  now: bigint,
  recipient: Id,
): readonly (string | false)[] {
  const before = life.spends.at(-1)?.latest ?? now;
  life.spends.push({ clock: now, latest: now > before ? now : before, amount });
  const { max_per_tx: most, daily_cap: cap } = life.limits;
  const [byLatest, byClock] = [spentByLatest(life), spentByClock(life)];
  return [
    amount > most && `${amount} is more than max_per_tx ${most}`,
    !life.recipients.includes(recipient) && 'the recipient is not in the list',
    byLatest > cap && `${byLatest} in 24 hours, the cap is ${cap}`,
    byClock > cap && `${byClock} while the clock stayed within 24 hours, the cap is ${cap}`,
  ];
}

/** Sum of the 24 hours up to the last spend; a clock that goes back stands still. */
function spentByLatest({ spends }: Life): bigint {
  const end = spends.at(-1)?.latest ?? 0n;
  return spends
    .filter(({ latest }) => latest >= end - DAY_SECONDS)
    .reduce((sum, { amount }) => sum + amount, 0n);
}

/** Sum of the longest run up to the last spend whose real clocks lie within 24 hours. */
function spentByClock({ spends }: Life): bigint {
  let [sum, least, most] = [0n, spends.at(-1)?.clock ?? 0n, spends.at(-1)?.clock ?? 0n];
  for (const { clock, amount } of spends.toReversed()) {
    if (clock < least) least = clock;
    if (clock > most) most = clock;
    if (most - least > DAY_SECONDS) break;
    sum += amount;
  }
  return sum;
}
