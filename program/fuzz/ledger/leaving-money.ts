import { rentOf } from '../world/account.ts';
import type { Call } from '../step.ts';
import type { Id, Universe } from '../world/universe.ts';
import type { Moved } from './moved.ts';
import type { Passed } from './passed.ts';

/** Instructions that return lamports; all of them belong to the owner. */
const REFUNDS = new Set(['revoke_session', 'sweep_token_account', 'sweep_lamports', 'close_vault']);

/** Checks that tokens and lamports which leave a vault go to its owner, and that none stay behind. */
export function checkLeaving(
  { name }: Call,
  at: (role: string) => Id,
  passed: Passed,
  moved: readonly Moved[],
  universe: Universe,
): readonly string[] {
  if (!REFUNDS.has(name)) return [];
  const { before, after } = passed;
  const owner = at('owner');
  const others = [...after].filter(([id]) => id !== owner && id !== at('owner_token_account'));
  const isGained = others.some(
    ([id, raw]) => (raw?.lamports ?? 0n) > (before.get(id)?.lamports ?? 0n),
  );
  const isGone = (role: string): boolean => (after.get(at(role)) ?? null) === null;
  const vault = after.get(at('vault')) ?? null;
  const wrong = [
    isGained && 'lamports went to somebody other than the owner',
    name === 'sweep_lamports' &&
      (!isGone('yield_authority') || vault?.lamports !== rentOf(vault?.data.length ?? 0)) &&
      'lamports stayed behind',
    name === 'close_vault' &&
      (!isGone('vault') || !isGone('vault_token_account')) &&
      'a closed vault is still there',
    name === 'close_vault' && deployedIn(before, at('vault')) > 0n && 'the vault was not empty',
    ...(name === 'sweep_token_account' ? sweepProblems(at, passed, moved, universe) : []),
  ];
  return wrong.filter((one) => one !== false).map((one) => `${name}: ${one}`);
}

function sweepProblems(
  at: (role: string) => Id,
  { before, after }: Passed,
  moved: readonly Moved[],
  { addresses, fixed, tokensOf, yieldOf }: Universe,
): readonly (string | false)[] {
  const [vault, swept] = [at('vault'), at('token_account')];
  const balance = before.get(swept)?.data.readBigUInt64LE(64) ?? 0n;
  const to = moved.find(({ amount }) => amount > 0n);
  const from = moved.find(({ amount }) => amount < 0n);
  const ownerKey = Buffer.from(addresses[at('owner')] ?? []);
  const isAll = to?.amount === balance && from?.id === swept && moved.length === 2;
  const authority = yieldOf(vault)?.id ?? -1;
  const isCollateral = swept === tokensOf(authority, fixed.collateralMint);
  const expected = isCollateral ? 0n : deployedIn(before, vault);
  return [
    balance === 0n && moved.length > 0 && 'something other than the swept account moved',
    balance > 0n && !isAll && 'not the whole balance moved',
    to !== undefined && !to.wallet.equals(ownerKey) && 'another wallet was paid',
    swept === tokensOf(vault, fixed.usdc) && 'the vault’s own token account was swept',
    deployedIn(after, vault) !== expected && 'the deployed amount is wrong',
  ];
}

function deployedIn(shown: Passed['after'], vault: Id): bigint {
  return shown.get(vault)?.data.readBigUInt64LE(16) ?? 0n;
}
