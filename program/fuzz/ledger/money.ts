import type { Raw } from '../chain/chain.ts';
import type { Id, Universe } from '../world/universe.ts';
import { checkLeaving } from './leaving-money.ts';
import { type Moved, movedTokens } from './moved.ts';
import type { Passed } from './passed.ts';
import { checkYield } from './yield-money.ts';

const MONEY = new Set([
  'transfer_usdc',
  'yield_deposit',
  'yield_withdraw',
  'owner_withdraw',
  'sweep_token_account',
]);
/** Where a mint's account has its supply. */
const SUPPLY_AT = 36;

/**
 * Checks every movement of tokens and lamports. `fractionOf` returns a vault's maximum deployed
 * fraction, in basis points.
 */
export function checkMoney(
  passed: Passed,
  universe: Universe,
  fractionOf: (vault: Id) => number,
): readonly string[] {
  const { fixed, strayMints } = universe;
  const moved = movedTokens(passed, universe);
  const wrong: string[] = [];
  for (const mint of [fixed.usdc, ...strayMints]) {
    const sum = moved
      .filter((one) => one.mint === mint)
      .reduce((total, { amount }) => total + amount, 0n);
    const issued = supplyOf(passed.after.get(mint)) - supplyOf(passed.before.get(mint));
    if (sum !== issued) wrong.push(`${sum - issued} base units appeared from nowhere`);
    if (issued !== 0n && mint !== fixed.collateralMint) wrong.push('a supply changed');
  }
  const lamports = [...passed.after].reduce(
    (total, [id, raw]) => total + (raw?.lamports ?? 0n) - (passed.before.get(id)?.lamports ?? 0n),
    0n,
  );
  const fee = 5_000n * BigInt(passed.flags.signatures);
  if (lamports !== -fee) wrong.push(`lamports changed by ${lamports}, the fee is ${fee}`);
  const isOutside = passed.calls.some(
    ({ program }) => program === 'reserve' || program === 'token',
  );
  const movers = passed.calls.filter(({ name }) => MONEY.has(name));
  if (movers.length === 0 && moved.length > 0 && !isOutside) wrong.push('money moved by no call');
  const [call, ...others] = passed.calls;
  if (call?.program !== 'wallet' || others.length > 0) return wrong;
  const at = (role: string): Id => call.metas.find((one) => one.role === role)?.id ?? -1;
  if (call.name === 'transfer_usdc' || call.name === 'owner_withdraw') {
    const wallet = call.name === 'transfer_usdc' ? at('recipient') : at('owner');
    wrong.push(...checkPayment(moved, call.args.amount, wallet, at, universe));
  } else if (call.name === 'yield_deposit' || call.name === 'yield_withdraw') {
    wrong.push(...checkYield(call, at, passed, universe, fractionOf(at('vault'))));
  } else {
    wrong.push(...checkLeaving(call, at, passed, moved, universe));
  }
  return wrong;
}

function supplyOf(mint: Raw | null | undefined): bigint {
  return mint?.data.readBigUInt64LE(SUPPLY_AT) ?? 0n;
}

/** Exactly one payment: from the vault's token account to one account of the payee. */
function checkPayment(
  moved: readonly Moved[],
  requested: bigint,
  wallet: Id,
  at: (role: string) => Id,
  { addresses, fixed, tokensOf }: Universe,
): readonly string[] {
  const from = moved.find(({ amount }) => amount < 0n);
  const to = moved.find(({ amount }) => amount > 0n);
  if (moved.length !== 2 || from === undefined || to === undefined) return ['not one payment'];
  const isAll = requested === 2n ** 64n - 1n && at('owner') !== -1;
  const wrong = [
    from.mint !== fixed.usdc && 'something other than USDC was paid',
    from.id !== tokensOf(at('vault'), fixed.usdc) && 'an account other than the vault’s paid',
    !to.wallet.equals(Buffer.from(addresses[wallet] ?? [])) && 'another wallet was paid',
    to.amount !== requested && !isAll && `${to.amount} was paid, not ${requested}`,
  ];
  return wrong.filter((one) => one !== false);
}
