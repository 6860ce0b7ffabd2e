import { MAX_U64, vaultRent } from '../world/account.ts';
import { create, createTokens, existsProblem } from './create.ts';
import {
  accountAt,
  associatedProblems,
  deadlineRefusal,
  fixedProblems,
  isMissing,
  moveTokens,
  ownerProblem,
  ownerProblems,
  ownTokensProblems,
  type Refusal,
  refusalOf,
  type Scene,
  tokensAt,
  tokensProblems,
  vaultAt,
  vaultTokensProblems,
  writableProblem,
} from './scene.ts';

const WHOLE_BASIS_POINTS = 10_000;
/** Binary places of a session index below the slot in which its vault was created. */
export const INDEX_BITS = 16n;

export function initVault(scene: Scene): Refusal {
  const { universe, call } = scene;
  const { fixed } = universe;
  const [owner, vault, tokens] = [
    scene.at('owner'),
    scene.at('vault'),
    scene.at('vault_token_account'),
  ];
  const canonical = universe.vaultOf(owner);
  const refusal = refusalOf(
    !scene.flags.signer(owner) && 3010,
    writableProblem(scene, owner),
    writableProblem(scene, vault),
    canonical?.id !== vault && 2006,
    ...associatedProblems(scene, tokens, vault, fixed.usdc),
    ...fixedProblems(scene),
    ownerProblem(scene, scene.at('usdc_mint'), fixed.tokenProgram),
  );
  if (refusal !== null || canonical === undefined) return refusal;
  const refused =
    deadlineRefusal(scene) ??
    refusalOf(call.args.max_deployed_fraction_bp > WHOLE_BASIS_POINTS && 6105) ??
    refusalOf(existsProblem(scene, vault)) ??
    refusalOf(
      ...(isMissing(scene, tokens) ? [] : ownTokensProblems(scene, tokens, vault, fixed.usdc)),
    );
  if (refused !== null) return refused;
  create(scene, vault, vaultRent(2), fixed.program, {
    kind: 'vault',
    version: 2,
    bump: canonical.bump,
    maxDeployedFractionBp: call.args.max_deployed_fraction_bp,
    paused: false,
    yieldBump: 0,
    deployed: 0n,
    nextSessionIndex: scene.model.slot << INDEX_BITS,
    owner,
    vaultTokens: tokens,
    openSessions: 0n,
  });
  createTokens(scene, tokens, vault, fixed.usdc);
  return null;
}

export function initYield(scene: Scene): Refusal {
  const { universe } = scene;
  const { fixed } = universe;
  const [owner, vault, authority] = [
    scene.at('owner'),
    scene.at('vault'),
    scene.at('yield_authority'),
  ];
  const transit = scene.at('transit_token_account');
  const collateral = scene.at('collateral_token_account');
  const mint = scene.at('collateral_mint');
  const canonical = universe.yieldOf(vault);
  const refusal = refusalOf(
    writableProblem(scene, owner),
    writableProblem(scene, vault),
    ...ownerProblems(scene),
    canonical?.id !== authority && 2006,
    ...associatedProblems(scene, transit, authority, fixed.usdc),
    ...associatedProblems(scene, collateral, authority, fixed.collateralMint),
    mint !== fixed.collateralMint && 6202,
  );
  const state = vaultAt(scene, vault);
  if (refusal !== null || canonical === undefined || state === undefined) return refusal;
  const pairs = [
    [transit, fixed.usdc],
    [collateral, fixed.collateralMint],
  ] as const;
  const existing = refusalOf(
    ...pairs.flatMap(([id, of]) =>
      isMissing(scene, id) ? [] : ownTokensProblems(scene, id, authority, of),
    ),
  );
  if (existing !== null) return existing;
  for (const [id, of] of pairs) createTokens(scene, id, authority, of);
  state.yieldBump = canonical.bump;
  return null;
}

export function setMaxDeployedFraction(scene: Scene): Refusal {
  const bp = scene.call.args.max_deployed_fraction_bp;
  const vault = vaultAt(scene, scene.at('vault'));
  const refusal =
    refusalOf(writableProblem(scene, scene.at('vault')), ...ownerProblems(scene)) ??
    deadlineRefusal(scene) ??
    refusalOf(bp > WHOLE_BASIS_POINTS && 6105);
  if (refusal !== null || vault === undefined) return refusal;
  vault.maxDeployedFractionBp = bp;
  return null;
}

export function setPaused(scene: Scene): Refusal {
  const { paused } = scene.call.args;
  const vault = vaultAt(scene, scene.at('vault'));
  const refusal =
    refusalOf(writableProblem(scene, scene.at('vault')), ...ownerProblems(scene)) ??
    // A pause grants nothing, so it has no deadline.
    (paused ? null : deadlineRefusal(scene));
  if (refusal !== null || vault === undefined) return refusal;
  vault.paused = paused;
  return null;
}

export function ownerWithdraw(scene: Scene): Refusal {
  const { usdc } = scene.universe.fixed;
  const [owner, vault] = [scene.at('owner'), scene.at('vault')];
  const [from, to] = [scene.at('vault_token_account'), scene.at('owner_token_account')];
  const requested = scene.call.args.amount;
  const amount = requested === MAX_U64 ? (tokensAt(scene, from)?.amount ?? 0n) : requested;
  const refusal = refusalOf(
    ...ownerProblems(scene),
    ...vaultTokensProblems(scene, vault),
    writableProblem(scene, to),
    ...tokensProblems(scene, to, owner, usdc),
    amount === 0n && 6007,
  );
  return refusal ?? moveTokens(scene, from, to, amount);
}

export function migrateVault(scene: Scene): Refusal {
  const [owner, vault] = [scene.at('owner'), scene.at('vault')];
  const state = vaultAt(scene, vault);
  const refusal =
    refusalOf(
      writableProblem(scene, owner),
      writableProblem(scene, vault),
      ...ownerProblems(scene),
    ) ?? refusalOf(state?.version === 2 && 6112);
  const [account, payer] = [accountAt(scene, vault), accountAt(scene, owner)];
  if (refusal !== null || state === undefined) return refusal;
  if (account === undefined || payer === undefined) throw new Error('an account is missing');
  const missing = vaultRent(2) - account.lamports;
  if (missing > 0n) {
    payer.lamports -= missing;
    account.lamports += missing;
  }
  state.version = 2;
  // At least as many as there are: every session that was ever created and not revoked since.
  state.openSessions = state.nextSessionIndex;
  return null;
}
