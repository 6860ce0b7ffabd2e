/** Many concurrent requests, each retried while the api has no room for it. */
import { setTimeout as delay } from 'node:timers/promises';
import { callApi, type HttpAnswer } from '../support/http/call-api.ts';
import type { Agent, Stage } from './stage.ts';

const FIRST_AMOUNT = 1_000;
const MOST_TRIES = 600;
const LEAST_PAUSE_MS = 500;
/** One in five waits for its outcome, the others only for acceptance. */
const WAITS_EVERY = 5;

export type Replies = {
  /** Number of final replies by kind: the status, with its code for a refusal. */
  readonly byStatus: ReadonlyMap<string, number>;
  /** Number of replies by kind after which the same request was sent again. */
  readonly retried: ReadonlyMap<string, number>;
};

/**
 * Sends `perAgent` requests for each agent: `atOnce` concurrent ones that wait only for acceptance,
 * and as many that wait for their outcome.
 */
export async function requestAll(
  stage: Stage,
  { perAgent, atOnce }: { readonly perAgent: number; readonly atOnce: number },
): Promise<Replies> {
  const byStatus = new Map<string, number>();
  const retried = new Map<string, number>();

  async function request(agent: Agent, n: number): Promise<void> {
    for (let tries = 1; tries <= MOST_TRIES; tries += 1) {
      const reply = await callApi(stage.system, 'POST', '/v1/spend/transfer', {
        headers: {
          authorization: `Bearer ${agent.apiKey}`,
          'idempotency-key': `request-${n}`,
          ...(waits(n) ? {} : { prefer: 'respond-async' }),
        },
        body: { recipient: agent.recipient, amount: FIRST_AMOUNT + n },
      });
      const isFinal = !isRetryable(reply);
      count(isFinal ? byStatus : retried, kindOf(reply));
      if (isFinal) return;
      const retryAfterMs = Number(reply.headers.get('retry-after') ?? 0) * 1_000;
      await delay(Math.max(retryAfterMs, LEAST_PAUSE_MS) * (1 + Math.random()));
    }
    throw new Error(`a request was retried ${MOST_TRIES} times`);
  }

  async function requestEach(agent: Agent, numbers: Iterable<number>): Promise<void> {
    for (const n of numbers) await request(agent, n);
  }

  const all = Array.from({ length: perAgent }, (_, n) => n);
  await Promise.all(
    stage.agents.flatMap((agent) =>
      [all.filter(waits), all.filter((n) => !waits(n))].flatMap((numbers) => {
        const shared = numbers.values();
        return Array.from({ length: atOnce }, () => requestEach(agent, shared));
      }),
    ),
  );
  return { byStatus, retried };
}

const waits = (n: number): boolean => n % WAITS_EVERY === 0;

function count(counts: Map<string, number>, kind: string): void {
  counts.set(kind, (counts.get(kind) ?? 0) + 1);
}

/** Too many requests, or none can be accepted now: the same key may be sent again. */
function isRetryable({ status, body }: HttpAnswer): boolean {
  return status === 429 || (status === 503 && body['code'] !== 'EXPIRED_UNSENT');
}

function kindOf({ status, body }: HttpAnswer): string {
  return status < 300 ? String(status) : `${status} ${String(body['code'])}`;
}
