import { withdrawableOf } from '@agent-wallet/chain';
import type { Database } from '@agent-wallet/db';
import { fitsAt, opensAt } from '@agent-wallet/policy';
import { isLanded, isPending, REFUSALS, type Spend, type SpendKind } from '@agent-wallet/spend';
import { startSpan } from '@agent-wallet/tracing';
import { type Agent, readTimeWindow } from '@agent-wallet/wallet';
import type { FastifyRequest } from 'fastify';
import type { AgentAuth } from '../../auth/authenticate-agent.ts';
import type { ChainAccess } from '../../chain/chain-access.ts';
import type { HttpRefusal } from '../../http/http-refusal.ts';
import type { Metrics } from '../../metrics.ts';
import { type Known, refusalOf, refusalOfSpend } from '../refuse/refusals.ts';
import type { RequestSpend, SpendResult } from '../request-spend.ts';
import { readFrame, type SpendRequest } from '../spend-request.ts';

/** The answer of a spend endpoint. */
export type SpendAnswer =
  | { readonly kind: 'confirmed'; readonly spend: Spend; readonly txSignature: string }
  /** `transaction`: signed, for the agent to give to a service. */
  | { readonly kind: 'pending'; readonly spend: Spend; readonly transaction?: Buffer | null }
  | { readonly kind: 'refused'; readonly refusal: HttpRefusal };

type AnswerDeps = {
  readonly db: Database;
  readonly chain: Pick<ChainAccess, 'readWallet' | 'readPosition'>;
  readonly nowMs: () => number;
};

export type SpendRouteDeps = AnswerDeps & {
  readonly agents: AgentAuth;
  readonly requestSpend: RequestSpend;
  readonly metrics: Pick<Metrics, 'spendAnswered'>;
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
  spend: Pick<SpendRequest, 'kind' | 'amount' | 'recipient' | 'url' | 'facilitator'>,
) => Promise<Exclude<SpendAnswer, RefusedAnswer>>;

/** For every endpoint whose answer is about one spend. */
export function createAnswerRequest(deps: SpendRouteDeps): AnswerRequest {
  const { agents, metrics, requestSpend } = deps;
  return async (request, spend) => {
    const { kind, amount, recipient, url, facilitator } = spend;
    const sender = facilitator === undefined ? [] : [facilitator.feePayer, facilitator.memo];
    const content = [kind, amount.toString(), recipient, url, ...sender];
    const frame = readFrame(request, agents, content);
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
  const endRequest = startSpan(`${request.method} ${request.routeOptions.url ?? ''}`);
  const startedAtMs = performance.now();
  const count = (outcome: ReturnType<typeof outcomeOf>): void =>
    metrics.spendAnswered({ kind, ...outcome }, (performance.now() - startedAtMs) / 1_000);
  const answered = await answer().catch((error: unknown) => {
    count({ outcome: 'refused', layer: 'off-chain' });
    throw error;
  });
  count(outcomeOf(answered));
  const spendId = spendIdOf(answered);
  if (spendId !== undefined) {
    endRequest({ spendId }, { attributes: { 'agent_wallet.outcome': answered.kind } });
  }
  const facts = { spend_id: spendId, outcome: answered.kind };
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

/** The answer to a request: its refusal, or its spend as it stands. */
export async function answerSpend(
  deps: AnswerDeps,
  agent: Agent,
  result: SpendResult,
): Promise<SpendAnswer> {
  if (result.kind !== 'known') return refusedAs(refusalOf(result));
  const { spend, transaction } = result;
  if (isPending(spend.status)) return { kind: 'pending', spend, transaction };
  if (isLanded(spend.status) && spend.txSignature !== null) {
    return { kind: 'confirmed', spend, txSignature: spend.txSignature };
  }
  return refusedAs(refusalOfSpend(spend, await readKnown(deps, agent, spend)));
}

const refusedAs = (refusal: HttpRefusal): SpendAnswer => ({ kind: 'refused', refusal });

/** Facts of a refusal that are not in the row. One that cannot be read is left out. */
async function readKnown(deps: AnswerDeps, agent: Agent, spend: Spend): Promise<Known> {
  switch (spend.code) {
    case 'DailyCapExceeded':
      return { resets_at: await findResetsAt(deps, agent, spend) };
    case REFUSALS.outsideTimeWindow:
      return { opens_at: await findOpensAt(deps, agent) };
    case REFUSALS.partialLiquidity:
      return { available: await findAvailable(deps, agent) };
    default:
      return {};
  }
}

/** The most that can be withdrawn now, base units; undefined when the chain cannot be read. */
async function findAvailable(deps: AnswerDeps, agent: Agent): Promise<bigint | undefined> {
  try {
    const { vault, yield: held } = await deps.chain.readPosition(agent, []);
    if (held === null) return undefined;
    return withdrawableOf(held.reserve, held.collateral, vault?.deployedAmount ?? 0n);
  } catch {
    return undefined;
  }
}

/** Unix seconds at which this amount fits, null for never; undefined when it cannot be read. */
async function findResetsAt(
  deps: AnswerDeps,
  agent: Agent,
  spend: Spend,
): Promise<number | null | undefined> {
  try {
    const session = (await deps.chain.readWallet(agent, [agent.sessionPda])).sessions[0] ?? null;
    if (session === null) return null;
    const nowSeconds = BigInt(Math.floor(deps.nowMs() / 1000));
    const at = fitsAt(session.window, nowSeconds, spend.amount, session.dailyCap);
    return at === null ? null : Number(at);
  } catch {
    // The refusal stands without the time at which it ends.
    return undefined;
  }
}

/** Unix seconds at which the window opens again, null for not in sight; undefined when unknown. */
async function findOpensAt(deps: AnswerDeps, agent: Agent): Promise<number | null | undefined> {
  try {
    const atMs = opensAt(await readTimeWindow(deps.db, agent.walletId), deps.nowMs());
    return atMs === null ? null : Math.ceil(atMs / 1000);
  } catch {
    return undefined;
  }
}
