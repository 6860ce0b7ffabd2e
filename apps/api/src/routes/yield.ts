import { refusal, yieldPositionAnswer } from '@agent-wallet/contract';
import type { Database } from '@agent-wallet/db';
import { isAppError } from '@agent-wallet/errors';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Agent, AgentAuth } from '../auth/authenticate-agent.ts';
import type { ChainAccess } from '../chain-access.ts';
import { noteDeployed, readDeployedSeen } from '../store/wallets.ts';

type YieldRoutesDeps = {
  readonly db: Database;
  readonly agents: AgentAuth;
  readonly chain: Pick<ChainAccess, 'readWallet'>;
};

/** `liquid` null: the chain could not be read, and `deployed` is what it said last. */
type Position = { readonly liquid: bigint | null; readonly deployed: bigint };

/** The vault's position. An agent's key answers it from its creation on. */
export function yieldRoutes(deps: YieldRoutesDeps): FastifyPluginAsyncZod {
  const { agents } = deps;
  return async (app) => {
    app.get(
      '/v1/yield/position',
      {
        schema: { response: { 200: yieldPositionAnswer, '4xx': refusal, '5xx': refusal } },
        onRequest: agents.authenticate,
      },
      async (request) => {
        const { liquid, deployed } = await readPosition(deps, agents.agentOf(request));
        return {
          liquid: liquid?.toString() ?? null,
          deployed: deployed.toString(),
          accrued: null,
          total_balance: ((liquid ?? 0n) + deployed).toString(),
        };
      },
    );
  };
}

async function readPosition({ db, chain }: YieldRoutesDeps, agent: Agent): Promise<Position> {
  try {
    const { liquid, vault } = await chain.readWallet(agent, []);
    const deployed = vault?.deployedAmount ?? 0n;
    await noteDeployed(db, agent.walletId, deployed);
    return { liquid, deployed };
  } catch (error) {
    if (!isAppError(error, 'RPC_UNAVAILABLE')) throw error;
    return { liquid: null, deployed: await readDeployedSeen(db, agent.walletId) };
  }
}
