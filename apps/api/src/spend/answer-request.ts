import type { Database } from '@agent-wallet/db';
import type { SpendKind } from '@agent-wallet/spend';
import type { FastifyRequest } from 'fastify';
import type { AgentAuth } from '../auth/authenticate-agent.ts';
import type { ChainAccess } from '../chain/chain-access.ts';
import type { Metrics } from '../metrics.ts';
import { answerSpend, type SpendAnswer } from './answer-spend.ts';
import type { RequestSpend } from './request-spend.ts';
import { readFrame, type SpendRequest } from './spend-request.ts';

export type SpendRouteDeps = {
  readonly db: Database;
  readonly agents: AgentAuth;
  readonly chain: Pick<ChainAccess, 'readWallet' | 'readPosition'>;
  readonly requestSpend: RequestSpend;
  readonly metrics: Pick<Metrics, 'spendAnswered'>;
  readonly nowMs: () => number;
};

type RefusedAnswer = Extract<SpendAnswer, { readonly kind: 'refused' }>;
/** `passed_on` is a service's own answer; without `spendId` it was not paid. */
type GivenAnswer =
  | Exclude<SpendAnswer, RefusedAnswer>
  | { readonly kind: 'passed_on'; readonly spendId: string | null };
type Answer = GivenAnswer | RefusedAnswer;

/** Requests one spend and returns its answer; throws a refusal. */
export type AnswerRequest = (
  request: FastifyRequest,
  spend: Pick<SpendRequest, 'kind' | 'amount' | 'recipient' | 'url'>,
) => Promise<Exclude<SpendAnswer, RefusedAnswer>>;

/** For every endpoint whose answer is about one spend. */
export function createAnswerRequest(deps: SpendRouteDeps): AnswerRequest {
  const { agents, metrics, requestSpend } = deps;
  return async (request, spend) => {
    const { kind, amount, recipient, url } = spend;
    const frame = readFrame(request, agents, [kind, amount.toString(), recipient, url]);
    return answerMetered({ request, metrics, kind }, async () =>
      answerSpend(deps, frame.agent, await requestSpend({ ...frame, ...spend })),
    );
  };
}

/** Runs `answer`, counts and logs what it returns, and throws a refusal. */
export async function answerMetered<A extends GivenAnswer>(
  about: {
    readonly request: FastifyRequest;
    readonly metrics: Pick<Metrics, 'spendAnswered'>;
    readonly kind: SpendKind;
    /** For the log. */
    readonly slug?: string;
  },
  answer: () => Promise<A | RefusedAnswer>,
): Promise<A> {
  const { request, metrics, kind, slug } = about;
  const answered = await answer().catch((error: unknown) => {
    metrics.spendAnswered({ kind, outcome: 'refused', layer: 'off-chain' });
    throw error;
  });
  metrics.spendAnswered({ kind, ...outcomeOf(answered) });
  const facts = { spend_id: spendIdOf(answered), outcome: answered.kind };
  request.log.info(slug === undefined ? facts : { slug, ...facts }, 'spend answered');
  if (answered.kind === 'refused') throw answered.refusal;
  return answered;
}

function outcomeOf(answer: Answer) {
  switch (answer.kind) {
    case 'refused':
      return { outcome: 'refused', layer: answer.refusal.body.layer } as const;
    case 'passed_on':
      return { outcome: answer.spendId === null ? 'unpaid' : 'confirmed', layer: 'none' } as const;
    case 'confirmed':
    case 'pending':
      return { outcome: answer.kind, layer: 'none' } as const;
  }
}

function spendIdOf(answer: Answer): string | undefined {
  switch (answer.kind) {
    case 'refused':
      return answer.refusal.body.spend_id;
    case 'passed_on':
      return answer.spendId ?? undefined;
    case 'confirmed':
    case 'pending':
      return answer.spend.spendId;
  }
}
