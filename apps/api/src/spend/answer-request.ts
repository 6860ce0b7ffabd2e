import type { Database } from '@agent-wallet/db';
import type { FastifyRequest } from 'fastify';
import type { AgentAuth } from '../auth/authenticate-agent.ts';
import type { ChainAccess } from '../chain/chain-access.ts';
import type { Metrics } from '../metrics.ts';
import { answerSpend, type SpendAnswer } from './answer-spend.ts';
import { digestOf } from './digest.ts';
import type { RequestSpend, SpendAsk } from './request-spend.ts';
import { readIdempotencyKey, readWait } from './spend-headers.ts';

export type AskDeps = {
  readonly db: Database;
  readonly agents: AgentAuth;
  readonly chain: Pick<ChainAccess, 'readWallet' | 'readPosition'>;
  readonly requestSpend: RequestSpend;
  readonly metrics: Pick<Metrics, 'spendAnswered'>;
  readonly nowMs: () => number;
};

type AcceptedAnswer = Exclude<SpendAnswer, { readonly kind: 'refused' }>;

/** Asks for what an agent wishes and waits for the outcome; a refusal is thrown. */
export type AskAndWait = (
  request: FastifyRequest,
  wish: Pick<SpendAsk, 'kind' | 'amount' | 'recipient' | 'url'>,
) => Promise<AcceptedAnswer>;

/** For every endpoint whose answer is about one spend of ours. */
export function createAskAndWait(deps: AskDeps): AskAndWait {
  const { agents, requestSpend, metrics } = deps;
  const answerAsk = async (ask: SpendAsk): Promise<SpendAnswer> => {
    try {
      const answer = await answerSpend(deps, ask.agent, await requestSpend(ask));
      metrics.spendAnswered({ kind: ask.kind, ...outcomeOf(answer) });
      return answer;
    } catch (error) {
      metrics.spendAnswered({ kind: ask.kind, outcome: 'refused', layer: 'off-chain' });
      throw error;
    }
  };
  return async (request, wish) => {
    const answer = await answerAsk({
      agent: agents.agentOf(request),
      ...wish,
      digest: digestOf([wish.kind, wish.amount.toString(), wish.recipient, wish.url]),
      idempotencyKey: readIdempotencyKey(request.headers['idempotency-key']),
      ...readWait(request.headers['prefer']),
      onAccepted: (spendId) => request.log.info({ spend_id: spendId }, 'spend accepted'),
    });
    request.log.info({ spend_id: spendIdOf(answer), outcome: answer.kind }, 'spend answered');
    if (answer.kind === 'refused') throw answer.refusal;
    return answer;
  };
}

function outcomeOf(answer: SpendAnswer) {
  if (answer.kind !== 'refused') return { outcome: answer.kind, layer: 'none' } as const;
  return { outcome: 'refused', layer: answer.refusal.body.layer } as const;
}

const spendIdOf = (answer: SpendAnswer): string | undefined =>
  answer.kind === 'refused' ? answer.refusal.body.spend_id : answer.spend.spendId;
