import {
  MAX_U64,
  newTokens,
  SESSION_RENT,
  TOKENS_RENT,
  VAULT_RENT,
  type Account,
  type Data,
} from '../world/account.ts';
import type { Args } from '../step.ts';
import type { Id } from '../world/universe.ts';
import {
  accountAt,
  associatedProblems,
  fixedProblems,
  moveTokens,
  ownerProblem,
  ownTokensProblems,
  type Problems,
  type Refusal,
  refusalOf,
  type Scene,
  sessionAt,
  sessionProblem,
  tokensAt,
  tokensProblems,
  vaultAt,
  vaultProblem,
  vaultTokensProblems,
  writableProblem,
} from './scene.ts';

const MAX_RECIPIENTS = 10;
const KNOWN_INSTRUCTIONS = 0b111;
const WHOLE_BASIS_POINTS = 10_000;

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
    call.args.max_deployed_fraction_bp > WHOLE_BASIS_POINTS && 6105,
  );
  if (refusal !== null || canonical === undefined) return refusal;
  const existing = refusalOf(
    existsProblem(scene, vault),
    ...(isMissing(scene, tokens) ? [] : ownTokensProblems(scene, tokens, vault, fixed.usdc)),
  );
  if (existing !== null) return existing;
  create(scene, vault, VAULT_RENT, fixed.program, {
    kind: 'vault',
    bump: canonical.bump,
    maxDeployedFractionBp: call.args.max_deployed_fraction_bp,
    paused: false,
    yieldBump: 0,
    deployed: 0n,
    sessionsCreated: 0n,
    owner,
    vaultTokens: tokens,
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

export function addSession(scene: Scene): Refusal {
  const { universe, call } = scene;
  const { args } = call;
  const [owner, vault, session] = [scene.at('owner'), scene.at('vault'), scene.at('session')];
  const canonical = universe.sessionOf(vault, args.session_pubkey);
  const state = vaultAt(scene, vault);
  const refusal = refusalOf(
    writableProblem(scene, owner),
    writableProblem(scene, vault),
    ...ownerProblems(scene),
    writableProblem(scene, session),
    canonical?.id !== session && 2006,
    ...limitsProblems(scene),
    ...recipientsProblems(scene, args.session_pubkey),
  );
  if (refusal !== null || canonical === undefined || state === undefined) return refusal;
  const existing = refusalOf(existsProblem(scene, session));
  if (existing !== null) return existing;
  create(scene, session, SESSION_RENT, universe.fixed.program, {
    kind: 'session',
    bump: canonical.bump,
    ...limitsOf(args),
    recipients: args.recipients,
    index: state.sessionsCreated,
    vault,
    key: args.session_pubkey,
    spends: [],
    sequences: new Set(),
    highest: 0n,
  });
  state.sessionsCreated += 1n;
  return null;
}

export function updateSessionAllowlist(scene: Scene): Refusal {
  const session = sessionAt(scene, scene.at('session'));
  const refusal = refusalOf(
    ...ownerProblems(scene),
    ...ownedSessionProblems(scene),
    ...recipientsProblems(scene, session?.key),
  );
  if (refusal !== null || session === undefined) return refusal;
  session.recipients = scene.call.args.recipients;
  return null;
}

export function updateSessionLimits(scene: Scene): Refusal {
  const session = sessionAt(scene, scene.at('session'));
  const refusal = refusalOf(
    ...ownerProblems(scene),
    ...ownedSessionProblems(scene),
    ...limitsProblems(scene),
  );
  if (refusal !== null || session === undefined) return refusal;
  Object.assign(session, limitsOf(scene.call.args));
  return null;
}

export function revokeSession(scene: Scene): Refusal {
  const [owner, session] = [scene.at('owner'), scene.at('session')];
  const refusal = refusalOf(
    writableProblem(scene, owner),
    ...ownerProblems(scene),
    ...ownedSessionProblems(scene),
  );
  if (refusal !== null) return refusal;
  const [from, to] = [accountAt(scene, session), accountAt(scene, owner)];
  if (from === undefined || to === undefined) return new Set(['wallet 3012']);
  to.lamports += from.lamports;
  scene.model.accounts.delete(session);
  return null;
}

export function setMaxDeployedFraction(scene: Scene): Refusal {
  const bp = scene.call.args.max_deployed_fraction_bp;
  const vault = vaultAt(scene, scene.at('vault'));
  const refusal = refusalOf(
    writableProblem(scene, scene.at('vault')),
    ...ownerProblems(scene),
    bp > WHOLE_BASIS_POINTS && 6105,
  );
  if (refusal !== null || vault === undefined) return refusal;
  vault.maxDeployedFractionBp = bp;
  return null;
}

export function setPaused(scene: Scene): Refusal {
  const vault = vaultAt(scene, scene.at('vault'));
  const refusal = refusalOf(writableProblem(scene, scene.at('vault')), ...ownerProblems(scene));
  if (refusal !== null || vault === undefined) return refusal;
  vault.paused = scene.call.args.paused;
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

/** Errors of a vault that its owner must have signed for, and of the fixed accounts. */
function ownerProblems(scene: Scene): Problems {
  const [owner, vault] = [scene.at('owner'), scene.at('vault')];
  const problem = vaultProblem(scene, vault);
  return [
    !scene.flags.signer(owner) && 3010,
    problem,
    problem === null && vaultAt(scene, vault)?.owner !== owner && 2001,
    ...fixedProblems(scene),
  ];
}

function ownedSessionProblems(scene: Scene): Problems {
  const session = scene.at('session');
  return [writableProblem(scene, session), sessionProblem(scene, session, scene.at('vault'))];
}

function limitsProblems({ model, call: { args } }: Scene): Problems {
  return [
    (args.max_per_tx === 0n || args.daily_cap === 0n) && 6007,
    args.expiry <= model.now && 6100,
    (args.allowed_instructions & ~KNOWN_INSTRUCTIONS) !== 0 && 6104,
  ];
}

function limitsOf(args: Args) {
  return {
    maxPerTx: args.max_per_tx,
    dailyCap: args.daily_cap,
    expiry: args.expiry,
    allowedInstructions: args.allowed_instructions,
  };
}

/** Forbidden are the vault, its token account, the session key and the zero address. */
function recipientsProblems(scene: Scene, key: Id | undefined): Problems {
  const { recipients } = scene.call.args;
  const vault = scene.at('vault');
  const tokens = vaultAt(scene, vault)?.vaultTokens;
  const forbidden = new Set([scene.universe.fixed.system, vault, tokens, key]);
  return [
    recipients.length > MAX_RECIPIENTS && 6101,
    recipients.some((id) => forbidden.has(id)) && 6103,
    new Set(recipients).size < recipients.length && 6102,
  ];
}

/** True without an account of a program; lamports alone do not count. */
function isMissing(scene: Scene, id: Id): boolean {
  const account = accountAt(scene, id);
  return account === undefined || account.owner === scene.universe.fixed.system;
}

function existsProblem(scene: Scene, id: Id): number | null {
  return isMissing(scene, id) ? null : 3011;
}

/** Creates the account; the owner pays the missing rent. */
function create(scene: Scene, id: Id, rent: bigint, owner: Id, data: Data): void {
  const had = accountAt(scene, id)?.lamports ?? 0n;
  const payer = accountAt(scene, scene.at('owner'));
  const missing = had < rent ? rent - had : 0n;
  if (payer !== undefined) payer.lamports -= missing;
  const account: Account = { lamports: had + missing, owner, data };
  scene.model.accounts.set(id, account);
}

function createTokens(scene: Scene, id: Id, wallet: Id, mint: Id): void {
  if (!isMissing(scene, id)) return;
  const { tokenProgram } = scene.universe.fixed;
  create(scene, id, TOKENS_RENT, tokenProgram, newTokens(wallet, mint));
}
