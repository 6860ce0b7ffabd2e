import { type Account, encodeAccountData, type Tokens, TOKENS_BYTES } from './account.ts';
import { OUTSIDE, type Model } from '../model/scene.ts';
import type { Change } from '../step.ts';
import type { Id, Universe } from './universe.ts';
import { tokenAccount } from './world.ts';

/** Lamports. */
const MAX_WRAPPED = 1_000_000_000n;

/**
 * The account at the address after a change by a third party or by the test; undefined where the
 * change does not apply.
 */
export function changed(
  model: Model,
  id: Id,
  change: Change,
  universe: Universe,
): { readonly account: Account | undefined } | undefined {
  const { fixed } = universe;
  const account = model.accounts.get(id);
  if (account?.owner === OUTSIDE) return undefined;
  const data = account?.data;
  switch (change.to) {
    case 'prefund': {
      if (account !== undefined) return undefined;
      const empty = { kind: 'empty' } as const;
      return { account: { lamports: change.lamports, owner: fixed.system, data: empty } };
    }
    case 'open tokens': {
      const isFree = data === undefined || data.kind === 'empty';
      const { wallet, mint } = change;
      const isAssociated = universe.tokensOf(wallet, mint) === id;
      const stray = universe.strays.find((one) => one.id === id);
      const isStray = stray?.wallet === wallet && stray.mint === mint;
      if (!isFree || (!isAssociated && !isStray)) return undefined;
      return { account: opened(universe, change, isAssociated) };
    }
    case 'forge': {
      const source = model.accounts.get(change.from);
      if (source === undefined || source.data.kind === 'empty') return undefined;
      if (!universe.forged.includes(id) || !canExist(source, change, universe)) return undefined;
      return { account: forgery(source, change, universe) };
    }
    case 'default': {
      if (account === undefined || data?.kind !== 'reserve') return undefined;
      // A reserve that lost everything has no price.
      const most = data.available > 0n ? data.borrowed : data.borrowed - 1n;
      const lost = change.amount < most ? change.amount : most;
      return { account: { ...account, data: { ...data, borrowed: data.borrowed - lost } } };
    }
    case 'reassign':
      if (account === undefined || data?.kind !== 'reserve') return undefined;
      return { account: { ...account, owner: change.owner } };
    default:
      break;
  }
  if (account === undefined || data?.kind !== 'tokens') return undefined;
  switch (change.to) {
    case 'mint':
      // Only the reserve mints collateral, since it counts the supply.
      if (data.mint === fixed.collateralMint) return undefined;
      return { account: withMore(account, data, change.amount) };
    case 'close':
      return { account: undefined };
    case 'freeze':
    case 'thaw':
      return { account: { ...account, data: { ...data, frozen: change.to === 'freeze' } } };
    case 'delegate':
      return { account: { ...account, data: { ...data, delegate: change.delegate } } };
    case 'close authority':
      return { account: { ...account, data: { ...data, closeAuthority: change.authority } } };
    case 'give away':
      // This needs a key's signature; a program address never signs it.
      if (!universe.people.includes(data.owner) || data.extended) return undefined;
      return { account: { ...account, data: { ...data, owner: change.wallet } } };
    default:
      return change satisfies never;
  }
}

/** Only the reserve mints collateral, since it counts the supply. */
function opened(
  universe: Universe,
  { wallet, mint, amount }: Extract<Change, { to: 'open tokens' }>,
  isAssociated: boolean,
): Account {
  const account = tokenAccount(universe, wallet, mint, 0n, isAssociated);
  const { data } = account;
  if (data.kind !== 'tokens' || mint === universe.fixed.collateralMint) return account;
  return withMore(account, data, amount);
}

/** Lamports stand behind wrapped SOL. */
function withMore(account: Account, data: Tokens, amount: bigint): Account {
  const more = data.native ? amount % MAX_WRAPPED : amount;
  const lamports = account.lamports + (data.native ? more : 0n);
  return { ...account, lamports, data: { ...data, amount: data.amount + more } };
}

/**
 * Only the program creates its accounts, each at its own address, and the classic token program has
 * none that is longer than a token account, except for its multisignatures.
 */
function canExist(
  source: Account,
  { owner, length }: Extract<Change, { to: 'forge' }>,
  universe: Universe,
): boolean {
  const { program, tokenProgram } = universe.fixed;
  if (owner === program) return length !== 0;
  const bytes = encodeAccountData(source.data, universe).length + length;
  return owner !== tokenProgram || bytes <= TOKENS_BYTES;
}

/** A copy of another program or of another length, at another address. */
function forgery(
  source: Account,
  { owner, length }: Extract<Change, { to: 'forge' }>,
  universe: Universe,
): Account {
  const { kind } = source.data;
  if (length === 0) return { lamports: source.lamports, owner, data: structuredClone(source.data) };
  const bytes = encodeAccountData(source.data, universe);
  const data = {
    kind: 'bytes' as const,
    beginsLike: kind === 'vault' || kind === 'session' ? kind : null,
    bytes: length > 0 ? Buffer.concat([bytes, Buffer.alloc(length)]) : bytes.subarray(0, length),
  };
  return { lamports: source.lamports + 10_000_000n, owner, data };
}
