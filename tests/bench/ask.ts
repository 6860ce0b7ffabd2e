/** Many asks at once, each again as long as the answer says that there is no room just now. */
import { setTimeout as delay } from 'node:timers/promises';
import { callApi, type HttpAnswer } from '../support/http/http-owner.ts';
import type { Agent, Stage } from './stage.ts';

const FIRST_AMOUNT = 1_000;
const MOST_TRIES = 600;
const LEAST_PAUSE_MS = 500;
/** One in five waits for its outcome, the others only for acceptance. */
const WAITS_EVERY = 5;

export type Answers = {
  /** How many final answers there were of each kind: the status, with its code for a refusal. */
  readonly byStatus: ReadonlyMap<string, number>;
  /** Answers after which the same was asked again. */
  readonly putOff: ReadonlyMap<string, number>;
};

/** `perAgent` asks of each agent: `atOnce` at a time that only want to be accepted, and as many
 * beside them that wait for their outcome. */
export async function askAll(
  stage: Stage,
  { perAgent, atOnce }: { readonly perAgent: number; readonly atOnce: number },
): Promise<Answers> {
  const byStatus = new Map<string, number>();
  const putOff = new Map<string, number>();

  async function askOne(agent: Agent, n: number): Promise<void> {
    for (let tries = 1; tries <= MOST_TRIES; tries += 1) {
      const answer = await callApi(stage.system, 'POST', '/v1/spend/transfer', {
        headers: {
          authorization: `Bearer ${agent.apiKey}`,
          'idempotency-key': `ask-${n}`,
          ...(waits(n) ? {} : { prefer: 'respond-async' }),
        },
        body: { recipient: agent.recipient, amount: FIRST_AMOUNT + n },
      });
      const kind = kindOf(answer);
      if (!isPutOff(answer)) {
        byStatus.set(kind, (byStatus.get(kind) ?? 0) + 1);
        return;
      }
      putOff.set(kind, (putOff.get(kind) ?? 0) + 1);
      const retryAfterMs = Number(answer.headers.get('retry-after') ?? 0) * 1_000;
      await delay(Math.max(retryAfterMs, LEAST_PAUSE_MS) * (1 + Math.random()));
    }
    throw new Error(`an ask was put off ${MOST_TRIES} times`);
  }

  async function askOnAndOn(agent: Agent, numbers: Iterator<number>): Promise<void> {
    for (let next = numbers.next(); next.done !== true; next = numbers.next()) {
      await askOne(agent, next.value);
    }
  }

  const all = Array.from({ length: perAgent }, (_, n) => n);
  await Promise.all(
    stage.agents.flatMap((agent) =>
      [all.filter(waits), all.filter((n) => !waits(n))].flatMap((numbers) => {
        const shared = numbers.values();
        return Array.from({ length: atOnce }, () => askOnAndOn(agent, shared));
      }),
    ),
  );
  return { byStatus, putOff };
}

const waits = (n: number): boolean => n % WAITS_EVERY === 0;

/** Too many, or nothing could be accepted just now: the same key may ask again. */
function isPutOff({ status, body }: HttpAnswer): boolean {
  return status === 429 || (status === 503 && body['code'] !== 'EXPIRED_UNSENT');
}

function kindOf({ status, body }: HttpAnswer): string {
  return status < 300 ? String(status) : `${status} ${String(body['code'])}`;
}
