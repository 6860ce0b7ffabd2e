import { DAY_SECONDS } from '../world/account.ts';
import { checkMoney } from './money.ts';
import type { Passed } from './passed.ts';
import type { Args, Call } from '../step.ts';
import type { Id, Universe } from '../world/universe.ts';

/**
 * Checks the promises of the design against the transactions that passed, from the owners' signed
 * settings and from balances alone. It uses no rule of the model.
 */
export type Ledger = {
  /** Records a transaction; returns a sentence per broken promise. */
  readonly enter: (passed: Passed) => readonly string[];
};

type Wallet = { readonly owner: Id; paused: boolean; maxDeployedFractionBp: number };

/** One life of a session, from its creation to its revocation. */
type Life = {
  readonly vault: Id;
  readonly key: Id;
  limits: Pick<Args, 'max_per_tx' | 'daily_cap' | 'expiry' | 'allowed_instructions'>;
  recipients: readonly Id[];
  readonly sequences: Set<bigint>;
  readonly spends: { readonly clock: bigint; readonly latest: bigint; readonly amount: bigint }[];
};

type Book = {
  readonly universe: Universe;
  readonly wallets: Map<Id, Wallet>;
  readonly lives: Map<Id, Life>;
};

const BITS: Readonly<Record<string, number>> = {
  transfer_usdc: 1,
  yield_deposit: 2,
  yield_withdraw: 4,
};
const NOTHING = Buffer.alloc(0);

export function createLedger(universe: Universe): Ledger {
  const book: Book = { universe, wallets: new Map(), lives: new Map() };
  return {
    enter: (passed) => [
      ...passed.calls.flatMap((call) => enterCall(book, call, passed)),
      ...checkMoney(
        passed,
        universe,
        (vault) => book.wallets.get(vault)?.maxDeployedFractionBp ?? 0,
      ),
      ...checkPolicyBytes(book, passed),
    ],
  };
}

function enterCall(book: Book, call: Call, passed: Passed): readonly string[] {
  if (call.program !== 'wallet') return [];
  const at = (role: string): Id => call.metas.find((one) => one.role === role)?.id ?? -1;
  if (call.name in BITS) return enterSpend(book, call, passed, at);
  const owner = at('owner');
  const signed = passed.flags.signer(owner) ? [] : [`${call.name} without the owner's signature`];
  if (call.name === 'init_vault') {
    const again = book.wallets.has(at('vault')) ? ['a vault was created twice'] : [];
    const { max_deployed_fraction_bp: maxDeployedFractionBp } = call.args;
    book.wallets.set(at('vault'), { owner, paused: false, maxDeployedFractionBp });
    return [...signed, ...again];
  }
  const wallet = book.wallets.get(at('vault'));
  if (wallet?.owner !== owner) return [...signed, `${call.name} by a signer who is not the owner`];
  return [...signed, ...enterPolicy(book, call, wallet, at)];
}

/** Records the owner's new settings. */
function enterPolicy(
  { lives }: Book,
  { name, args }: Call,
  wallet: Wallet,
  at: (role: string) => Id,
): readonly string[] {
  const session = at('session');
  const life = lives.get(session);
  switch (name) {
    case 'set_paused':
      wallet.paused = args.paused;
      return [];
    case 'set_max_deployed_fraction':
      wallet.maxDeployedFractionBp = args.max_deployed_fraction_bp;
      return [];
    case 'add_session': {
      lives.set(session, {
        vault: at('vault'),
        key: args.session_pubkey,
        limits: args,
        recipients: args.recipients,
        sequences: new Set(),
        spends: [],
      });
      return life === undefined ? [] : ['a session was created over an existing one'];
    }
    default:
      break;
  }
  if (!['update_session_allowlist', 'update_session_limits', 'revoke_session'].includes(name)) {
    return [];
  }
  if (life === undefined || life.vault !== at('vault')) {
    return [`${name} of a session that does not exist`];
  }
  if (name === 'update_session_allowlist') life.recipients = args.recipients;
  if (name === 'update_session_limits') life.limits = args;
  if (name === 'revoke_session') lives.delete(session);
  return [];
}

/** Records a transfer or a yield instruction. */
function enterSpend(
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
  const wrong = [
    life.vault !== at('vault') && 'the session belongs to another vault',
    life.key !== key && 'a key other than the session’s signed',
    wallet.paused && 'the vault is paused',
    now > life.limits.expiry && 'the session has expired',
    (life.limits.allowed_instructions & (BITS[name] ?? 0)) === 0 &&
      'the instruction is not allowed',
    life.sequences.has(args.spend_seq) && `sequence ${args.spend_seq} was accepted before`,
    args.amount === 0n && 'the amount is zero',
  ];
  life.sequences.add(args.spend_seq);
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

/** Only the owner changes fields other than the spend counters and the deployed amount. */
function checkPolicyBytes(book: Book, { before, after, flags }: Passed): readonly string[] {
  const { universe } = book;
  const wrong: string[] = [];
  const changedIn = (id: Id, ...ranges: readonly (readonly [number, number])[]): boolean => {
    const [was, is] = [before.get(id)?.data ?? NOTHING, after.get(id)?.data ?? NOTHING];
    if (was.length !== is.length) return true;
    return ranges.some(([from, to]) => !was.subarray(from, to).equals(is.subarray(from, to)));
  };
  for (const id of after.keys()) {
    const vault = universe.wallets.find((one) => one.vault === id);
    if (vault !== undefined && changedIn(id, [0, 16], [24, 96]) && !flags.signer(vault.owner)) {
      wrong.push('a vault changed without its owner');
    }
    if (!universe.sessions.includes(id) || !changedIn(id, [0, 432])) continue;
    const owner = universe.wallets.find(({ vault: of }) =>
      universe.sessionKeys.some((key) => universe.sessionOf(of, key)?.id === id),
    )?.owner;
    if (owner === undefined || !flags.signer(owner)) {
      wrong.push('a session’s limits changed without its owner');
    }
  }
  return wrong;
}
