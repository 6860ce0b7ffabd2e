import { vaultRent } from '../world/account.ts';
import type { Id } from '../world/universe.ts';
import { INDEX_BITS } from './owner-rules.ts';
import {
  accountAt,
  deadlineRefusal,
  empty,
  isMissing,
  moveRefusal,
  moveTokens,
  ownerProblems,
  type Problems,
  type Refusal,
  refusalOf,
  type Scene,
  tokenProgramName,
  tokensAt,
  tokensProblems,
  vaultAt,
  vaultTokensProblems,
  writableProblem,
} from './scene.ts';

/** Moves all tokens of one account to the owner, and closes it if asked. */
export function sweepTokenAccount(scene: Scene): Refusal {
  const { universe, call } = scene;
  const { fixed } = universe;
  const [owner, vault, authority] = [scene.at('owner'), scene.at('vault'), scene.at('authority')];
  const [from, to] = [scene.at('token_account'), scene.at('owner_token_account')];
  const mint = scene.at('mint');
  const state = vaultAt(scene, vault);
  const tokens = tokensAt(scene, from);
  const yieldAuthority = universe.yieldOf(vault)?.id;
  const refusal = refusalOf(
    writableProblem(scene, owner),
    writableProblem(scene, vault),
    ...ownerProblems(scene),
    authority !== vault && authority !== yieldAuthority && 2006,
    from === state?.vaultTokens && 2012,
    writableProblem(scene, from),
    ...tokensProblems(scene, from, authority, mint, scene.at('token_program')),
    ...destinationProblems(scene),
  );
  if (refusal !== null || tokens === undefined || state === undefined) return refusal;
  const refused =
    deadlineRefusal(scene) ??
    refusalOf(tokens.amount === 0n && !call.args.close && 6007) ??
    (tokens.amount > 0n ? moveRefusal(scene, from, to, tokens.amount) : null) ??
    (call.args.close ? closeRefusal(scene, from) : null);
  if (refused !== null) return refused;
  if (tokens.amount > 0n) moveTokens(scene, from, to, tokens.amount);
  if (call.args.close) empty(scene, from, owner);
  // Without its collateral nothing is deployed; the owner holds it now.
  const isDeployed = authority === yieldAuthority && mint === fixed.collateralMint;
  if (isDeployed && universe.tokensOf(authority, mint) === from) state.deployed = 0n;
  return null;
}

/** The program's own address stands for an omitted account. */
function destinationProblems(scene: Scene): Problems {
  const [owner, to] = [scene.at('owner'), scene.at('owner_token_account')];
  const balance = tokensAt(scene, scene.at('token_account'))?.amount ?? 0n;
  if (to === scene.universe.fixed.program) return [balance > 0n && 3012];
  return [
    writableProblem(scene, to),
    ...tokensProblems(scene, to, owner, scene.at('mint'), scene.at('token_program')),
  ];
}

/** A stranger may have kept the right to close an account that he gave away. */
function closeRefusal(scene: Scene, from: Id): Refusal {
  const isAnothers = tokensAt(scene, from)?.closeAuthority !== null;
  return isAnothers ? new Set([`${tokenProgramName(scene, from)} 4`]) : null;
}

/** Pays the vault's lamports beyond its rent, and all of its yield authority, to the owner. */
export function sweepLamports(scene: Scene): Refusal {
  const [owner, vault] = [scene.at('owner'), scene.at('vault')];
  const authority = scene.at('yield_authority');
  const refusal = refusalOf(
    writableProblem(scene, owner),
    writableProblem(scene, vault),
    ...ownerProblems(scene),
    writableProblem(scene, authority),
    scene.universe.yieldOf(vault)?.id !== authority && 2006,
  );
  const state = vaultAt(scene, vault);
  const [account, receiver] = [accountAt(scene, vault), accountAt(scene, owner)];
  if (refusal !== null || state === undefined) return refusal;
  if (account === undefined || receiver === undefined) throw new Error('an account is missing');
  const kept = vaultRent(state.version);
  const spare = account.lamports > kept ? account.lamports - kept : 0n;
  const ofAuthority = accountAt(scene, authority)?.lamports ?? 0n;
  if (spare + ofAuthority === 0n) return refusalOf(6007);
  account.lamports -= spare;
  receiver.lamports += spare;
  if (ofAuthority > 0n) empty(scene, authority, owner);
  return null;
}

/** Closes a vault without sessions and without money. */
export function closeVault(scene: Scene): Refusal {
  const { universe, model, call } = scene;
  const { fixed } = universe;
  const [owner, vault] = [scene.at('owner'), scene.at('vault')];
  const tokens = scene.at('vault_token_account');
  const authority = universe.yieldOf(vault)?.id ?? -1;
  const ofYield = [
    [scene.at('transit_token_account'), fixed.usdc],
    [scene.at('collateral_token_account'), fixed.collateralMint],
  ] as const;
  const refusal = refusalOf(
    writableProblem(scene, owner),
    writableProblem(scene, vault),
    ...ownerProblems(scene),
    ...vaultTokensProblems(scene, vault),
    ...ofYield.map(([id, mint]) => id !== universe.tokensOf(authority, mint) && 2009),
  );
  const state = vaultAt(scene, vault);
  if (refusal !== null || state === undefined) return refusal;
  // The first layout does not count revocations.
  const open = state.version === 1 ? state.nextSessionIndex : state.openSessions;
  const isEmpty =
    state.deployed === 0n &&
    tokensAt(scene, tokens)?.amount === 0n &&
    ofYield.every(([id]) => isMissing(scene, id));
  const refused =
    // The index, which no later vault of the owner has, names the vault that the owner meant.
    refusalOf(call.args.next_session_index !== state.nextSessionIndex && 6107) ??
    refusalOf(open > 0n && 6109) ??
    refusalOf(!isEmpty && 6110) ??
    refusalOf(state.nextSessionIndex >> INDEX_BITS === model.slot && 6111) ??
    closeRefusal(scene, tokens);
  if (refused !== null) return refused;
  empty(scene, tokens, owner);
  empty(scene, vault, owner);
  return null;
}
