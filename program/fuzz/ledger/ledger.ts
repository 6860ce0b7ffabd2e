import { FIRST_FRACTION_BP, type WorldSettings } from '../world/world.ts';
import type { Call } from '../step.ts';
import type { Id, Universe } from '../world/universe.ts';
import type { Book, Wallet } from './book.ts';
import { checkMoney } from './money.ts';
import type { Passed } from './passed.ts';
import { enterSpend, isSpend } from './spends.ts';

/**
 * Checks the promises of the design against the transactions that passed, from the owners' signed
 * settings and from balances alone. It uses no rule of the model.
 */
export type Ledger = {
  /** Records a transaction; returns a sentence per broken promise. */
  readonly enter: (passed: Passed) => readonly string[];
};

/** Instructions with a deadline, besides the resumption of a paused vault. */
const WITH_DEADLINE = new Set([
  'init_vault',
  'add_session',
  'update_session_allowlist',
  'update_session_limits',
  'set_max_deployed_fraction',
  'yield_deposit',
  'yield_withdraw',
  'sweep_token_account',
]);
const OF_A_SESSION = new Set([
  'update_session_allowlist',
  'update_session_limits',
  'revoke_session',
]);
const MOVES_DEPLOYED = new Set([
  'init_vault',
  'yield_deposit',
  'yield_withdraw',
  'sweep_token_account',
  'close_vault',
]);
const VAULT_BYTES = 104;
const NOTHING = Buffer.alloc(0);

export function createLedger(universe: Universe, settings: WorldSettings): Ledger {
  const book: Book = {
    universe,
    wallets: new Map(),
    lives: new Map(),
    highestIndexes: new Map(),
    spent: new Set(),
  };
  const { firstLayout } = settings;
  if (firstLayout !== null) {
    for (const { owner, vault } of universe.wallets.slice(0, settings.wallets)) {
      const wallet = { paused: false, maxDeployedFractionBp: FIRST_FRACTION_BP };
      book.wallets.set(vault, { owner, ...wallet, countsSessions: false });
      book.highestIndexes.set(vault, firstLayout - 1n);
    }
  }
  return {
    enter: (passed) => [
      ...passed.calls.flatMap((call) => enterCall(book, call, passed)),
      ...checkMoney(
        passed,
        universe,
        (vault) => book.wallets.get(vault)?.maxDeployedFractionBp ?? 0,
      ),
      ...checkPolicyBytes(book, passed),
      ...checkOpenSessions(book, passed),
    ],
  };
}

function enterCall(book: Book, call: Call, passed: Passed): readonly string[] {
  if (call.program !== 'wallet') return [];
  const { name, args } = call;
  const at = (role: string): Id => call.metas.find((one) => one.role === role)?.id ?? -1;
  const hasDeadline = WITH_DEADLINE.has(name) || (name === 'set_paused' && !args.paused);
  const isLate = hasDeadline && passed.now > args.deadline;
  const late = isLate ? [`${name} after its deadline`] : [];
  if (isSpend(name)) return [...late, ...enterSpend(book, call, passed, at)];
  const owner = at('owner');
  const signed = passed.flags.signer(owner) ? [] : [`${name} without the owner's signature`];
  const problems = [...late, ...signed];
  if (name === 'init_vault') {
    const again = book.wallets.has(at('vault')) ? ['a vault was created twice'] : [];
    const { max_deployed_fraction_bp: maxDeployedFractionBp } = args;
    const wallet = { owner, paused: false, maxDeployedFractionBp, countsSessions: true };
    book.wallets.set(at('vault'), wallet);
    return [...problems, ...again];
  }
  const wallet = book.wallets.get(at('vault'));
  if (wallet?.owner !== owner) return [...problems, `${name} by a signer who is not the owner`];
  return [...problems, ...enterPolicy(book, call, wallet, at)];
}

/** Records the owner's new settings. */
function enterPolicy(
  { lives, wallets, highestIndexes }: Book,
  { name, args }: Call,
  wallet: Wallet,
  at: (role: string) => Id,
): readonly string[] {
  const [vault, session] = [at('vault'), at('session')];
  const life = lives.get(session);
  const highest = highestIndexes.get(vault) ?? -1n;
  switch (name) {
    case 'set_paused':
      wallet.paused = args.paused;
      return [];
    case 'set_max_deployed_fraction':
      wallet.maxDeployedFractionBp = args.max_deployed_fraction_bp;
      return [];
    case 'close_vault': {
      wallets.delete(vault);
      const index = args.next_session_index;
      highestIndexes.set(vault, index);
      const isOpen = [...lives.values()].some((one) => one.wallet === wallet);
      return [
        ...(isOpen ? ['a vault was closed while it had sessions'] : []),
        ...(index > highest ? [] : [`close_vault names index ${index}, not above ${highest}`]),
      ];
    }
    case 'add_session': {
      const index = args.session_index;
      lives.set(session, {
        wallet,
        vault,
        key: args.session_pubkey,
        index,
        limits: args,
        recipients: args.recipients,
        spends: [],
      });
      highestIndexes.set(vault, index);
      return [
        ...(life === undefined ? [] : ['a session was created over an existing one']),
        ...(index > highest ? [] : [`session index ${index} is not above ${highest}`]),
      ];
    }
    default:
      break;
  }
  if (!OF_A_SESSION.has(name)) return [];
  if (life === undefined || life.wallet !== wallet) {
    return [`${name} of a session that does not exist`];
  }
  if (name === 'update_session_allowlist') life.recipients = args.recipients;
  if (name === 'update_session_limits') life.limits = args;
  if (name === 'revoke_session') lives.delete(session);
  return life.index === args.session_index ? [] : [`${name} was signed for another session`];
}

/** A vault counts its sessions, or at least as many if it was born in the first layout. */
function checkOpenSessions({ wallets, lives }: Book, { after }: Passed): readonly string[] {
  return [...after].flatMap(([id, raw]) => {
    const wallet = wallets.get(id);
    if (wallet === undefined || raw?.data.length !== VAULT_BYTES) return [];
    const open = BigInt([...lives.values()].filter((life) => life.wallet === wallet).length);
    const counted = raw.data.readBigUInt64LE(96);
    const isRight = wallet.countsSessions ? counted === open : counted >= open;
    return isRight ? [] : [`a vault counts ${counted} open sessions of ${open}`];
  });
}

/** Only the owner changes fields other than the spend counters and the deployed amount. */
function checkPolicyBytes(book: Book, { calls, before, after, flags }: Passed): readonly string[] {
  const { universe } = book;
  const wrong: string[] = [];
  const changedIn = (id: Id, ...ranges: readonly (readonly [number, number])[]): boolean => {
    const [was, is] = [before.get(id)?.data ?? NOTHING, after.get(id)?.data ?? NOTHING];
    return ranges.some(([from, to]) => !was.subarray(from, to).equals(is.subarray(from, to)));
  };
  const ofDeployed = new Set(
    calls
      .filter(({ name }) => MOVES_DEPLOYED.has(name))
      .flatMap(({ metas }) => metas.map(({ id }) => id)),
  );
  for (const id of after.keys()) {
    const vault = universe.wallets.find((one) => one.vault === id);
    if (vault !== undefined && changedIn(id, [0, 16], [24, 104]) && !flags.signer(vault.owner)) {
      wrong.push('a vault changed without its owner');
    }
    if (vault !== undefined && changedIn(id, [16, 24]) && !ofDeployed.has(id)) {
      wrong.push('the deployed amount changed by no call');
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
