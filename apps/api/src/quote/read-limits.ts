import { toTimeWindow, type Agent, readPolicy, findSessionById } from '@agent-wallet/wallet';
import { type agentLimitsAnswer, toAmountOut } from '@agent-wallet/contract';
import type { Database } from '@agent-wallet/db';
import { isWithinWindow, opensAt } from '@agent-wallet/policy';
import type { z } from 'zod';
import type { ChainAccess } from '../chain/chain-access.ts';
import { describeSession } from '../session/session-view.ts';

type Deps = {
  readonly db: Database;
  readonly chain: Pick<ChainAccess, 'readWallet'>;
  readonly nowMs: () => number;
};

/** What the session of an agent may do now, under both layers. Throws RPC_UNAVAILABLE. */
export async function readLimits(
  { db, chain, nowMs }: Deps,
  agent: Agent,
): Promise<z.input<typeof agentLimitsAnswer>> {
  const [row, { url_allowlist, time_window }, facts] = await Promise.all([
    findSessionById(db, agent.sessionId),
    readPolicy(db, agent.walletId),
    chain.readWallet(agent, [agent.sessionPda]),
  ]);
  if (row === null) throw new Error('an authenticated agent has a session');
  const atMs = nowMs();
  const onChain = { slot: facts.slot, state: facts.sessions[0] ?? null };
  const session = describeSession(row, onChain, BigInt(Math.floor(atMs / 1000)));
  const window = toTimeWindow(time_window);
  const windowOpen = isWithinWindow(window, atMs);
  const opens = windowOpen ? null : opensAt(window, atMs);
  return {
    ...session,
    url_allowlist,
    time_window,
    window_open: windowOpen,
    opens_at: opens === null ? null : Math.ceil(opens / 1000),
    paused: facts.vault?.paused ?? false,
    liquid: toAmountOut(facts.liquid),
    deployed_amount: toAmountOut(facts.vault?.deployedAmount ?? 0n),
    max_deployed_fraction_bp: facts.vault?.maxDeployedFractionBp ?? 0,
  };
}
