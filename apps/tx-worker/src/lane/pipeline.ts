/**
 * When several spends of a session may be in flight at once. The chain may execute them in any
 * order, so only spends that pass in every order go side by side: the daily window and the liquid
 * balance must hold all of them together. Anything else is sent alone, and so is yield: what it may
 * move depends on what was moved before.
 */
import {
  type Rpc,
  type SessionState,
  tokenAmountOf,
  type WalletProgram,
} from '@agent-wallet/chain';
import { countedSpend } from '@agent-wallet/policy';
import type { Lane, LaneLoad, Spend } from '@agent-wallet/spend';

/** The session and the vault's liquid balance, in base units, as of one slot. */
export type ChainView = {
  readonly session: SessionState;
  readonly liquid: bigint;
  readonly slot: bigint;
};

/** Reads the view of a lane; null when the session is not there. Throws RPC_UNAVAILABLE. */
export type ReadChainView = (lane: Lane) => Promise<ChainView | null>;

/** The chain's clock may be this far behind ours, so that hours leave its window later. */
const CLOCK_MARGIN_SECONDS = 60n;

/** Reads session and vault in one call, so that both are of one slot. */
export function createReadChainView(
  rpc: Pick<Rpc, 'accounts'>,
  program: WalletProgram,
): ReadChainView {
  return async (lane) => {
    const addresses = [lane.sessionPda, lane.vaultUsdcAta];
    const read = await rpc.accounts(addresses, { commitment: 'confirmed' });
    const account = read.accounts[0] ?? null;
    const session = account === null ? null : program.decodeSession(account);
    if (session === null) return null;
    return { session, liquid: tokenAmountOf(read.accounts[1] ?? null), slot: read.slot };
  };
}

/** Whether the spend fits beside everything that the view does not show yet. */
export function canPipeline(
  view: ChainView,
  load: LaneLoad,
  { kind, amount }: Pick<Spend, 'kind' | 'amount'>,
  nowMs: number,
): boolean {
  if (load.movesYield || kind === 'yield_deposit' || kind === 'yield_withdraw') return false;
  const nowSeconds = BigInt(Math.floor(nowMs / 1_000)) - CLOCK_MARGIN_SECONDS;
  const spent = countedSpend(view.session.window, nowSeconds);
  const fitsCap = spent + load.session + amount <= view.session.dailyCap;
  const fitsBalance = load.wallet + amount <= view.liquid;
  return fitsCap && fitsBalance;
}
