import { type Args, type Call, metasOf } from '../step.ts';
import { MAX_U64 } from '../world/account.ts';
import type { Id } from '../world/universe.ts';
import { balanceOf, type Choice, type Hand, near } from './hand.ts';
import {
  drawClosedIndex,
  drawDeadline,
  drawLimits,
  drawNextIndex,
  drawRecipients,
  drawSpend,
  drawTransferAmount,
  drawYieldDeadline,
  withArgs,
} from './values.ts';
import { drawDeposit, drawWithdrawal, isLost } from './yield-values.ts';

/** A call of the wallet with its proper accounts and drawn arguments. */
export function drawCall(hand: Hand, choice: Choice, name: string): Call {
  const { random, universe } = hand;
  const { wallet, session } = choice;
  const recipient = random.pick(
    session !== undefined && session.recipients.length > 0 && random.chance(0.95)
      ? session.recipients
      : universe.recipients,
  );
  const ownersShare = isLost(hand, choice) ? 0.8 : 0.3;
  const isByOwner = name.startsWith('yield_') && random.chance(ownersShare);
  const ownerTokens = universe.tokensOf(wallet.owner, universe.fixed.usdc) ?? wallet.ownerSpare;
  const tokens = universe.tokensOf(recipient, universe.fixed.usdc) ?? recipient;
  const drawn = drawArgs(hand, choice, name, isByOwner);
  const bump = universe.bumpOf(tokens);
  const args = {
    ...drawn,
    recipient_bump: random.chance(0.98) ? bump : random.pick([0, 255, Math.max(0, bump - 1)]),
  };
  const isForbidden = name === 'add_session' && args.session_pubkey !== choice.key;
  const { id: derived = choice.sessionId } = isForbidden
    ? (universe.sessionOf(wallet.vault, args.session_pubkey) ?? {})
    : {};
  return callOf(hand, choice, name, args, {
    ...(isForbidden ? { session: derived } : {}),
    // The program's own address stands for an omitted session.
    ...(isByOwner ? { authority: wallet.owner, session: universe.fixed.program } : {}),
    recipient,
    recipient_token_account: tokens,
    owner_token_account: random.pick([ownerTokens, wallet.ownerSpare]),
  });
}

function drawArgs(hand: Hand, choice: Choice, name: string, isByOwner: boolean): Args {
  const { random, universe } = hand;
  const deadline = drawDeadline(hand);
  switch (name) {
    case 'init_vault':
    case 'set_max_deployed_fraction': {
      const bp = random.pick([0, 1, 2_500, 5_000, 9_999, 10_000, 10_000, 10_000]);
      const wrong = random.pick([10_001, 65_535]);
      const max_deployed_fraction_bp = random.chance(0.03) ? wrong : bp;
      return withArgs({ max_deployed_fraction_bp, deadline });
    }
    case 'set_paused':
      return withArgs({
        paused: random.chance(choice.vault?.paused === true ? 0.1 : 0.7),
        deadline,
      });
    case 'add_session': {
      const { system, eventAuthority } = universe.fixed;
      const forbidden = random.pick([system, eventAuthority, choice.wallet.vault]);
      return withArgs({
        session_pubkey: random.chance(0.02) ? forbidden : choice.key,
        ...drawLimits(hand),
        recipients: drawRecipients(hand, choice),
        session_index: drawNextIndex(hand, choice),
        deadline,
      });
    }
    case 'update_session_limits':
      return withArgs({ ...drawLimits(hand), ...drawSpend(hand, choice), deadline });
    case 'update_session_allowlist':
      return withArgs({
        recipients: drawRecipients(hand, choice),
        ...drawSpend(hand, choice),
        deadline,
      });
    case 'revoke_session':
      return withArgs(drawSpend(hand, choice));
    case 'owner_withdraw': {
      const balance = balanceOf(hand, choice.wallet.vaultTokens);
      return withArgs({ amount: near(hand, balance / 20n + 1n, balance / 3n, balance, MAX_U64) });
    }
    case 'transfer_usdc':
      return withArgs({
        amount: drawTransferAmount(hand, choice),
        ...drawSpend(hand, choice),
      });
    case 'yield_deposit':
      return withArgs({
        amount: drawDeposit(hand, choice),
        ...drawSpend(hand, choice),
        deadline: drawYieldDeadline(hand, isByOwner),
      });
    case 'yield_withdraw':
      return withArgs({
        ...drawWithdrawal(hand, choice, isByOwner),
        ...drawSpend(hand, choice),
        deadline: drawYieldDeadline(hand, isByOwner),
      });
    case 'close_vault':
      return withArgs({ next_session_index: drawClosedIndex(hand, choice) });
    default:
      return withArgs({});
  }
}

/** The call with the wallet's own accounts, except those in `given`. */
export function callOf(
  { universe }: Hand,
  { wallet, key, sessionId }: Choice,
  name: string,
  args: Args,
  given: Readonly<Record<string, Id>>,
): Call {
  const { fixed } = universe;
  const places: Readonly<Record<string, Id>> = {
    owner: wallet.owner,
    vault: wallet.vault,
    vault_token_account: wallet.vaultTokens,
    session: sessionId,
    session_key: key,
    authority: key,
    yield_authority: wallet.yieldAuthority,
    transit_token_account: wallet.transit,
    collateral_token_account: wallet.collateral,
    reserve: fixed.reserve,
    lending_market: fixed.market,
    lending_market_authority: fixed.marketAuthority,
    liquidity_supply: fixed.reserveSupply,
    collateral_mint: fixed.collateralMint,
    instructions_sysvar: fixed.instructionsSysvar,
    reserve_program: fixed.reserveProgram,
    usdc_mint: fixed.usdc,
    token_program: fixed.tokenProgram,
    associated_token_program: fixed.associatedTokenProgram,
    system_program: fixed.system,
    event_authority: fixed.eventAuthority,
    program: fixed.program,
    ...given,
  };
  const metas = metasOf({ program: 'wallet', name }, places);
  return { program: 'wallet', name, args, metas, bytes: 'whole' };
}
