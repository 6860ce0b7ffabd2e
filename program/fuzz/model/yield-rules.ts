import { MAX_U64, type Vault, WHOLE_BASIS_POINTS } from '../world/account.ts';
import { bookReserve, quoteDeposit, quoteRedeem, reserveIn } from './reserve-rules.ts';
import {
  associatedProblems,
  deadlineRefusal,
  fixedProblems,
  moveTokens,
  ownerProblem,
  ownTokensProblems,
  type Problems,
  type Refusal,
  refusalOf,
  type Scene,
  sessionAt,
  tokensAt,
  vaultAt,
  vaultProblem,
  vaultTokensProblems,
  writableProblem,
} from './scene.ts';
import { recordSequence, signerRefusal, spendRefusal } from './session-rules.ts';

const DEPOSIT_BIT = 2;
const WITHDRAW_BIT = 4;

export function yieldDeposit(scene: Scene): Refusal {
  const { amount } = scene.call.args;
  const vault = vaultAt(scene, scene.at('vault'));
  const refusal = authorityRefusal(scene, DEPOSIT_BIT) ?? refusalOf(amount === 0n && 6007);
  if (refusal !== null || vault === undefined) return refusal;
  const [tokens, transit] = [scene.at('vault_token_account'), scene.at('transit_token_account')];
  const refused = refusalOf(
    ...accountsProblems(scene, vault),
    fractionProblem(scene, vault),
    reserveProblem(scene),
  );
  if (refused !== null) return refused;
  if (tokensAt(scene, tokens)?.frozen === true) return new Set(['token 17']);
  const { refusal: byReserve, taken, minted } = quoteDeposit(reserveIn(scene), amount);
  if (byReserve !== null) return byReserve;

  // The previous transit balance returns with the amount that the reserve does not take.
  const inTransit = tokensAt(scene, transit)?.amount ?? 0n;
  moveTokens(scene, transit, tokens, inTransit);
  moveTokens(scene, tokens, scene.universe.fixed.reserveSupply, taken);
  const collateral = tokensAt(scene, scene.at('collateral_token_account'));
  if (collateral !== undefined) collateral.amount += minted;
  bookReserve(scene, { available: taken, collateral: minted });
  vault.deployed += taken;
  recordSpend(scene);
  return null;
}

export function yieldWithdraw(scene: Scene): Refusal {
  const { amount, collateral_amount: chosen } = scene.call.args;
  const vault = vaultAt(scene, scene.at('vault'));
  const refusal = authorityRefusal(scene, WITHDRAW_BIT) ?? refusalOf(amount === 0n && 6007);
  if (refusal !== null || vault === undefined) return refusal;
  // The owner names any part of the collateral, whatever it is worth.
  const isChosen = isByOwner(scene) && amount === MAX_U64;
  const isEverything = !isChosen && amount === vault.deployed;
  const refused =
    refusalOf(!isChosen && amount > vault.deployed && 6201) ??
    refusalOf(...accountsProblems(scene, vault));
  if (refused !== null) return refused;
  const collateral = tokensAt(scene, scene.at('collateral_token_account'));
  if (collateral === undefined) return refusalOf(3012);
  if (isChosen && chosen === 0n && collateral.amount === 0n && vault.deployed > 0n) {
    return writeOff(scene, vault);
  }
  const unable =
    refusalOf(isEverything && collateral.amount === 0n && 6201) ??
    refusalOf(isChosen && collateral.amount === 0n && vault.deployed === 0n && 6201) ??
    refusalOf(!isEverything && (chosen === 0n || chosen > collateral.amount) && 6203) ??
    refusalOf(reserveProblem(scene));
  if (unable !== null) return unable;
  const redeemed = isEverything ? collateral.amount : chosen;
  const { refusal: byReserve, paid } = quoteRedeem(reserveIn(scene), redeemed);
  if (byReserve !== null) return byReserve;
  // At most the value of one unit, paid ÷ redeemed, may exceed the amount.
  const isTooMuch = !isEverything && !isChosen && paid * redeemed > amount * redeemed + paid;
  if (isTooMuch) return refusalOf(6203);

  const [tokens, transit] = [scene.at('vault_token_account'), scene.at('transit_token_account')];
  if (tokensAt(scene, tokens)?.frozen === true) return new Set(['token 17']);
  moveTokens(scene, scene.universe.fixed.reserveSupply, tokens, paid);
  moveTokens(scene, transit, tokens, tokensAt(scene, transit)?.amount ?? 0n);
  collateral.amount -= redeemed;
  bookReserve(scene, { available: -paid, collateral: -redeemed });
  const rest = paid < vault.deployed ? vault.deployed - paid : 0n;
  // With the last collateral, one base unit lost to rounding is forgotten; a loss stays.
  const isLast = isEverything || (isChosen && collateral.amount === 0n);
  vault.deployed = isLast && rest <= 1n ? 0n : rest;
  recordSpend(scene);
  return null;
}

/** Nothing is left to redeem, and the owner asked for nothing: what is deployed was lost. */
function writeOff(scene: Scene, vault: Vault): Refusal {
  const [tokens, transit] = [scene.at('vault_token_account'), scene.at('transit_token_account')];
  const inTransit = tokensAt(scene, transit)?.amount ?? 0n;
  const refusal = inTransit > 0n ? moveTokens(scene, transit, tokens, inTransit) : null;
  if (refusal === null) vault.deployed = 0n;
  return refusal;
}

/** The program's own address stands for an omitted session. */
function isByOwner(scene: Scene): boolean {
  return scene.at('session') === scene.universe.fixed.program;
}

/** The refusal of the session key by its session's rules, or of a signer who is not the owner. */
function authorityRefusal(scene: Scene, bit: number): Refusal {
  const [authority, vaultId] = [scene.at('authority'), scene.at('vault')];
  const unwritable = writableProblem(scene, vaultId);
  if (!isByOwner(scene)) {
    const refusal = signerRefusal(scene, authority, unwritable) ?? spendRefusal(scene, bit);
    return refusal ?? deadlineRefusal(scene);
  }
  const problem = vaultProblem(scene, vaultId);
  const isOwner = vaultAt(scene, vaultId)?.owner === authority;
  return (
    refusalOf(unwritable, problem, problem === null && !isOwner && 2001) ??
    refusalOf(!scene.flags.signer(authority) && 3010) ??
    deadlineRefusal(scene)
  );
}

function recordSpend(scene: Scene): void {
  const session = sessionAt(scene, scene.at('session'));
  if (session !== undefined) recordSequence(session, scene.call.args.spend_seq);
}

/** `(deployed + amount) ÷ total ≤ fraction`, without rounding. */
function fractionProblem(scene: Scene, vault: Vault): number | null {
  const liquid = tokensAt(scene, vault.vaultTokens)?.amount;
  if (liquid === undefined || scene.at('vault_token_account') !== vault.vaultTokens) return null;
  const [total, wanted] = [liquid + vault.deployed, vault.deployed + scene.call.args.amount];
  if (total > MAX_U64 || wanted > MAX_U64) return 6250;
  const isOver = wanted * WHOLE_BASIS_POINTS > total * BigInt(vault.maxDeployedFractionBp);
  return total === 0n || isOver ? 6200 : null;
}

/** Only what calls the reserve needs a living one. */
function reserveProblem(scene: Scene): number | null {
  const { reserve, reserveProgram } = scene.universe.fixed;
  return ownerProblem(scene, reserve, reserveProgram);
}

function accountsProblems(scene: Scene, vault: Vault): Problems {
  const { fixed, yieldOf } = scene.universe;
  const vaultId = scene.at('vault');
  const authority = yieldOf(vaultId)?.id ?? -1;
  const [transit, collateral] = [
    scene.at('transit_token_account'),
    scene.at('collateral_token_account'),
  ];
  const ofReserve = [
    ['reserve', fixed.reserve],
    ['lending_market', fixed.market],
    ['lending_market_authority', fixed.marketAuthority],
    ['liquidity_supply', fixed.reserveSupply],
    ['collateral_mint', fixed.collateralMint],
    ['reserve_program', fixed.reserveProgram],
  ] as const;
  const written = ['reserve', 'liquidity_supply', 'collateral_mint'] as const;
  return [
    ...vaultTokensProblems(scene, vaultId),
    vault.yieldBump === 0 && 3012,
    scene.at('yield_authority') !== authority && 2006,
    ...associatedProblems(scene, transit, authority, fixed.usdc),
    ...ownTokensProblems(scene, transit, authority, fixed.usdc),
    ...associatedProblems(scene, collateral, authority, fixed.collateralMint),
    ...ownTokensProblems(scene, collateral, authority, fixed.collateralMint),
    ...ofReserve.map(([role, address]) => scene.at(role) !== address && 6202),
    ...written.map((role) => writableProblem(scene, scene.at(role))),
    scene.at('instructions_sysvar') !== fixed.instructionsSysvar && 2012,
    ...fixedProblems(scene),
  ];
}
