import type { Raw } from '../chain/chain.ts';
import type { Id, Universe } from '../world/universe.ts';
import type { Passed } from './passed.ts';
import { checkYield } from './yield-money.ts';

const MONEY = new Set(['transfer_usdc', 'yield_deposit', 'yield_withdraw', 'owner_withdraw']);

/**
 * Checks every movement of tokens and lamports. `fractionOf` returns a vault's maximum deployed
 * fraction, in basis points.
 */
export function checkMoney(
  passed: Passed,
  universe: Universe,
  fractionOf: (vault: Id) => number,
): readonly string[] {
  const moved = movedUsdc(passed, universe);
  const wrong: string[] = [];
  const sum = moved.reduce((total, { amount }) => total + amount, 0n);
  if (sum !== 0n) wrong.push(`${sum} base units appeared from nowhere`);
  const lamports = [...passed.after].reduce(
    (total, [id, raw]) => total + (raw?.lamports ?? 0n) - (passed.before.get(id)?.lamports ?? 0n),
    0n,
  );
  const fee = 5_000n * BigInt(passed.flags.signatures);
  if (lamports !== -fee) wrong.push(`lamports changed by ${lamports}, the fee is ${fee}`);
  const isOutside = passed.calls.some(({ program }) => program === 'reserve');
  const movers = passed.calls.filter(({ name }) => MONEY.has(name));
  if (movers.length === 0 && moved.length > 0 && !isOutside) wrong.push('money moved by no call');
  const [call, ...others] = passed.calls;
  if (call === undefined || others.length > 0) return wrong;
  const at = (role: string): Id => call.metas.find((one) => one.role === role)?.id ?? -1;
  if (call.name === 'transfer_usdc' || call.name === 'owner_withdraw') {
    const wallet = call.name === 'transfer_usdc' ? at('recipient') : at('owner');
    wrong.push(...checkPayment(moved, call.args.amount, wallet, at, universe));
  } else if (call.name === 'yield_deposit' || call.name === 'yield_withdraw') {
    wrong.push(...checkYield(call, at, passed, universe, fractionOf(at('vault'))));
  }
  return wrong;
}

type Moved = { readonly id: Id; readonly amount: bigint; readonly wallet: Buffer };

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
    from.id !== tokensOf(at('vault'), fixed.usdc) && 'an account other than the vault’s paid',
    !to.wallet.equals(Buffer.from(addresses[wallet] ?? [])) && 'another wallet was paid',
    to.amount !== requested && !isAll && `${to.amount} was paid, not ${requested}`,
  ];
  return wrong.filter((one) => one !== false);
}

function movedUsdc({ before, after }: Passed, universe: Universe): readonly Moved[] {
  const moved: Moved[] = [];
  for (const [id, now] of after) {
    const was = before.get(id) ?? null;
    const amount = usdcIn(now, universe) - usdcIn(was, universe);
    const wallet = (now ?? was)?.data.subarray(32, 64) ?? Buffer.alloc(0);
    if (amount !== 0n) moved.push({ id, amount, wallet });
  }
  return moved;
}

function usdcIn(raw: Raw | null, { addresses, fixed }: Universe): bigint {
  const isTokens =
    raw?.data.length === 165 &&
    raw.owner.equals(Buffer.from(addresses[fixed.tokenProgram] ?? [])) &&
    raw.data.subarray(0, 32).equals(Buffer.from(addresses[fixed.usdc] ?? []));
  return isTokens ? raw.data.readBigUInt64LE(64) : 0n;
}
