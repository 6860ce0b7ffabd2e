/**
 * Decides when several spends of a session may be in flight at once. The chain may execute them in
 * any order, so they are pipelined only if every order passes: the daily window and the liquid
 * balance must cover all of them together. Any other spend is sent alone, and so is yield: what it
 * may move depends on earlier moves.
 */
import {
  type ReadAccounts,
  type SessionState,
  tokenAmountOf,
  type WalletProgram,
} from '@agent-wallet/chain';
import { countedSpend } from '@agent-wallet/policy';
import { isYield, type Lane, type LaneLoad, type Spend } from '@agent-wallet/spend';

/** The session and the vault's liquid balance, in base units, as of one slot. */
export type ChainView = {
  readonly session: SessionState;
  readonly liquid: bigint;
  readonly slot: bigint;
};

/** Reads the view of a lane; null when the session is not there. Throws RPC_UNAVAILABLE. */
export type ReadChainView = (lane: Lane) => Promise<ChainView | null>;

/** Margin for a chain clock behind ours: the hours then leave its window later. */
const CLOCK_MARGIN_SECONDS = 60n;

/** Reads session and vault in one call, so that both are of one slot. */
export function createReadChainView(
  readAccounts: ReadAccounts,
  program: WalletProgram,
): ReadChainView {
  return async (lane) => {
    const addresses = [lane.sessionPda, lane.vaultUsdcAta];
    const read = await readAccounts(addresses);
    const account = read.accounts[0] ?? null;
    const session = account === null ? null : program.decodeSession(account);
    if (session === null) return null;
    return { session, liquid: tokenAmountOf(read.accounts[1] ?? null), slot: read.slot };
  };
}

/** Whether the spend passes beside all that the view does not show yet. */
export function canPipeline(
  view: ChainView,
  load: LaneLoad,
  { kind, amount }: Pick<Spend, 'kind' | 'amount'>,
  nowMs: number,
): boolean {
  if (load.movesYield || isYield(kind)) return false;
  const nowSeconds = BigInt(Math.floor(nowMs / 1_000)) - CLOCK_MARGIN_SECONDS;
  const spent = countedSpend(view.session.window, nowSeconds);
  const fitsCap = spent + load.session + amount <= view.session.dailyCap;
  const fitsBalance = load.wallet + amount <= view.liquid;
  return fitsCap && fitsBalance;
}

/** What the chain does not show yet once this spend is in flight as well. */
export function addToLoad(
  load: LaneLoad,
  { kind, amount }: Pick<Spend, 'kind' | 'amount'>,
): LaneLoad {
  return {
    session: isYield(kind) ? load.session : load.session + amount,
    wallet: kind === 'yield_withdraw' ? load.wallet : load.wallet + amount,
    movesYield: load.movesYield || isYield(kind),
  };
}
